import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useMayOperate } from '../../api/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Filters } from './filters.tsx';
import type { JobListFilter } from '../../../../../src/client/filters.ts';
import { filterOf, queryOf } from './job-filter.ts';
import { JobTable } from './job-table.tsx';
import { useJobs } from './use-jobs.ts';
import classes from './jobs.module.css';

interface JobsProps {
  readonly filter: JobListFilter;
  readonly onFilter: (next: JobListFilter) => void;
}

function Jobs({ filter, onFilter }: JobsProps) {
  const { list, error, again, ...rest } = useJobs(filter);
  const isFiltered = queryOf(filter).size > 0;
  const mayOperate = useMayOperate();
  if (!list)
    return error ? (
      <ProblemNotice error={error} title="The jobs cannot be listed" onRetry={again} />
    ) : (
      <Text c="dimmed">Loading…</Text>
    );
  if (list.jobs.length === 0 && list.nextCursor === null)
    return isFiltered ? (
      <Empty title="No job matches">
        <Anchor component="button" type="button" onClick={() => onFilter({})}>
          Show all jobs
        </Anchor>
      </Empty>
    ) : (
      <Empty title="No jobs yet">
        Each action on a lab is a job, and is listed here
        {mayOperate && (
          <>
            :{' '}
            <Anchor component={Link} href="/" underline="always">
              start a lab
            </Anchor>
          </>
        )}
        .
      </Empty>
    );
  return (
    <>
      {error !== null && <ProblemNotice error={error} title="The list may be outdated" onRetry={again} />}
      <JobTable jobs={list.jobs} hasMore={list.nextCursor !== null} {...rest} />
    </>
  );
}

/** All jobs, newest first, live. */
export default function JobsPage() {
  const [query, setQuery] = useSearchParams();
  const text = query.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(text)), [text]);
  const setFilter = (next: JobListFilter): void => setQuery(queryOf(next), { replace: true });
  return (
    <Stack gap="sm" className={classes['page']}>
      <Group justify="space-between" align="end" gap="sm">
        <Title order={1} size="h3">
          Jobs
        </Title>
      </Group>
      <Filters filter={filter} onFilter={setFilter} />
      <Jobs key={`jobs?${queryOf(filter).toString()}`} filter={filter} onFilter={setFilter} />
    </Stack>
  );
}
