import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { LabLayout } from '../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../src/client/service-error.ts';
import type { Point, Positions } from '../../../../../src/labs/picture/picture.ts';
import { fetchAgain, queryClient } from '../../api/query-client.ts';
import { tagged, type Tagged } from '../../api/service.ts';
import { positionsOf, type KeyedLink } from '../../../../../src/labs/picture/positions.ts';
import { withMoved, withoutBoxes } from './positions.ts';

const nothingMoved: LabLayout = { nodes: {}, links: {} };

function tellFailure(error: Error): void {
  const isOther = error instanceof ServiceError && error.status === 412;
  notifications.show({
    color: isOther ? 'orange' : 'red',
    title: isOther ? 'Another user has moved nodes' : 'The new position was not saved',
    message: isOther ? 'The picture shows their positions now: move your nodes again.' : error.message,
  });
}

/** The saved positions of boxes in a lab or a workspace. A move is shown at once; the service saves it for all users. */
export function useKeptLayout(of: 'lab' | 'workspace', id: string, links: readonly KeyedLink[]) {
  const queryKey = useMemo(() => [of, id, 'layout'], [of, id]);
  const path = `/${of}s/${encodeURIComponent(id)}/layout`;
  const layout = useQuery({
    queryKey,
    queryFn: async ({ signal }) => tagged<LabLayout>('GET', path, { signal }),
  });
  const { mutate } = useMutation({
    // One request after the other: each one changes the result of the one before.
    scope: { id: path },
    mutationFn: async () => {
      const now = queryClient.getQueryData<Tagged<LabLayout>>(queryKey);
      if (now === undefined) return;
      const headers = { 'If-Match': now.tag };
      const sent = await tagged<LabLayout>('PUT', path, { body: now.value, headers });
      queryClient.setQueryData<Tagged<LabLayout>>(queryKey, (newest) => ({
        value: newest?.value ?? sent.value,
        tag: sent.tag,
      }));
    },
    onError: async (error) => {
      // The message says that the picture shows the positions of others: they have to be there first.
      await fetchAgain(queryKey);
      tellFailure(error);
    },
  });
  const keep = useCallback(
    (change: (now: LabLayout) => LabLayout) => {
      // A pending answer is older than this change.
      void queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData<Tagged<LabLayout>>(
        queryKey,
        (now) => now && { ...now, value: change(now.value) },
      );
      mutate();
    },
    [queryKey, mutate],
  );
  const move = useCallback(
    (moved: ReadonlyMap<string, Point>, known: readonly KeyedLink[] = links) =>
      keep((now) => withMoved(now, moved, known)),
    [keep, links],
  );
  /** The positions of these nodes and of the links; of all boxes without names. */
  const forget = useCallback(
    (names?: readonly string[]) => keep((now) => (names ? withoutBoxes(now, names, links) : nothingMoved)),
    [keep, links],
  );
  // Without a layout, the picture is shown as if no box had been moved.
  const value = layout.data?.value ?? (layout.isError ? nothingMoved : undefined);
  const given: Positions | undefined = useMemo(() => value && positionsOf(value, links), [value, links]);
  return { given, move, forget, mayMove: layout.data !== undefined };
}
