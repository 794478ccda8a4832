import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { jobNews, live } from '../../api/live.ts';
import { queryClient } from '../../api/query-client.ts';
import { client } from '../../api/service.ts';
import type { JobListFilter } from '../../../../../src/client/filters.ts';
import { withNewest, withNews, withOlder, type JobList } from './job-list.ts';

const pageSize = 100;

interface Jobs {
  readonly list: JobList | undefined;
  readonly error: unknown;
  readonly isLoadingMore: boolean;
  readonly moreError: unknown;
  readonly more: () => void;
  readonly again: () => void;
}

/** The matching jobs, kept up to date; `more` loads older ones. */
export function useJobs(filter: JobListFilter): Jobs {
  const key = ['jobs', 'newest', filter];
  const [list, setList] = useState(() => queryClient.getQueryData<JobList>(key));
  const [isLoadingMore, setLoadingMore] = useState(false);
  const [moreError, setMoreError] = useState<unknown>();
  const isBusy = useRef(false);
  // live.ts fetches this query again when a job begins, ends, or is removed.
  const newest = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const page = await client.listJobs({ ...filter, limit: pageSize });
      // Not when a newer fetch has taken the place of this one.
      if (!signal.aborted) setList((known) => withNewest(known, page));
      return page;
    },
  });
  const { state } = filter;
  useEffect(
    () =>
      jobNews.subscribe(() => {
        const news = jobNews.get();
        if (news) setList((known) => known && withNews(known, news, state));
      }),
    [state],
  );
  // Changes of older jobs may have been missed while disconnected: they are loaded again when the user scrolls to them.
  useEffect(() => {
    let before = live.get().kind;
    return live.subscribe(() => {
      const { kind } = live.get();
      if (before !== 'live' && kind === 'live') setList(undefined);
      before = kind;
    });
  }, []);

  const cursor = list?.nextCursor ?? null;
  const more = useCallback(() => {
    if (cursor === null || isBusy.current) return;
    isBusy.current = true;
    setLoadingMore(true);
    setMoreError(undefined);
    client
      .listJobs({ ...filter, limit: pageSize, cursor })
      .then((page) => setList((known) => known && withOlder(known, page, cursor)), setMoreError)
      .finally(() => {
        isBusy.current = false;
        setLoadingMore(false);
      });
  }, [cursor, filter]);
  return {
    list: list ?? newest.data,
    error: newest.error,
    isLoadingMore,
    moreError,
    more,
    again: () => void newest.refetch(),
  };
}
