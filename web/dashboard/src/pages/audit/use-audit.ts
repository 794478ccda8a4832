import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query';
import type { AuditPage } from '../../../../../src/client/api-types.ts';
import { queryClient } from '../../api/query-client.ts';
import { getFrom } from '../../api/service.ts';
import type { AuditFilter } from './audit-filter.ts';

type Pages = InfiniteData<AuditPage, string | undefined>;

/** The matching lines, newest first. No event tells of new ones: `refresh` asks for them. */
export function useAudit(filter: AuditFilter) {
  const queryKey = ['audit', filter];
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) =>
      getFrom<AuditPage>('/audit', {
        query: { ...filter, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // A user who comes back to the page wants to see the newest lines.
    gcTime: 0,
  });
  const refresh = (): void => {
    // Of several pages, the older ones would be fetched again, one after the other.
    queryClient.setQueryData<Pages>(
      queryKey,
      (known) => known && { pages: known.pages.slice(0, 1), pageParams: known.pageParams.slice(0, 1) },
    );
    void query.refetch();
  };
  return { ...query, refresh };
}
