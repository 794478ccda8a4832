import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Empty } from '../../parts/empty.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Filters } from './filters.tsx';
import { filterOf, isAskedBy, queryOf, type PageFilter } from './job-filter.ts';
import { JobTable } from './job-table.tsx';
import { useJobs } from './use-jobs.ts';
import classes from './jobs.module.css';

function Jobs({ filter, onFilter }: { filter: PageFilter; onFilter: (next: PageFilter) => void }) {
  const { list, error, again, ...rest } = useJobs(filter.service);
  const { by } = filter;
  const jobs = useMemo(() => list?.jobs.filter((job) => isAskedBy(job, by)), [list, by]);
  const isFiltered = queryOf(filter).size > 0;
  if (!jobs || !list)
    return error ? (
      <ProblemNotice error={error} title="The jobs cannot be listed" onRetry={again} />
    ) : (
      <Text c="dimmed">Loading…</Text>
    );
  if (jobs.length === 0 && list.nextCursor === null)
    return isFiltered ? (
      <Empty title="No job matches">
        <Anchor component="button" type="button" onClick={() => onFilter({ service: {}, by: '' })}>
          Show all jobs
        </Anchor>
      </Empty>
    ) : (
      <Empty title="No jobs yet">
        Each action on a lab is a job, and is listed here:{' '}
        <Anchor component={Link} href="/" underline="always">
          start a lab
        </Anchor>
        .
      </Empty>
    );
  return (
    <>
      {error !== null && <ProblemNotice error={error} title="The list may be outdated" onRetry={again} />}
      <JobTable jobs={jobs} hasMore={list.nextCursor !== null} {...rest} />
    </>
  );
}

/** All jobs, newest first, live. */
export default function JobsPage() {
  const [query, setQuery] = useSearchParams();
  const text = query.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(text)), [text]);
  const setFilter = (next: PageFilter): void => setQuery(queryOf(next), { replace: true });
  return (
    <Stack gap="sm" className={classes['page']}>
      <Group justify="space-between" align="end" gap="sm">
        <Title order={1} size="h3">
          Jobs
        </Title>
      </Group>
      <Filters key={`filters?${text}`} filter={filter} onFilter={setFilter} />
      <Jobs key={`jobs?${queryOf({ ...filter, by: '' }).toString()}`} filter={filter} onFilter={setFilter} />
    </Stack>
  );
}
