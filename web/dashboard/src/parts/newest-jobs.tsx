import { Anchor, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../../../src/client/api-types.ts';
import type { JobFilter } from '../../../../src/client/filters.ts';
import { useNewestJobs } from '../api/queries.ts';
import { JobLink } from './links.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { scenarioName } from './scenario-name.ts';
import { StateBadge } from './state-badge.tsx';
import { Age } from './time.tsx';

export interface JobColumn {
  readonly name: string;
  readonly cell: (job: Job) => ReactNode;
  readonly visibleFrom?: 'xs';
}

interface Props {
  readonly title: string;
  readonly filter: JobFilter;
  /** The columns behind state, action and time. */
  readonly more: readonly JobColumn[];
  /** The sentence for an empty list. */
  readonly none: string;
  /** The link to the list of all these jobs. */
  readonly all: { readonly label: string; readonly href: string };
}

const first: readonly JobColumn[] = [
  { name: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  {
    name: 'Action',
    cell: (job) => (
      <>
        <JobLink id={job.id} fw={600} aria-label={`${job.action}, ${job.id}`}>
          {job.action}
        </JobLink>{' '}
        <Text inherit span c="dimmed">
          {scenarioName(job)}
        </Text>
      </>
    ),
  },
  { name: 'Submitted', cell: ({ createdAt }) => <Age at={createdAt} /> },
];

/** The newest jobs of a lab or of a workspace. */
export function NewestJobs({ title, filter, more, none, all }: Props) {
  const { data, error, refetch } = useNewestJobs(filter);
  const columns = [...first, ...more];
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {title}
        </Title>
        {data !== undefined && data.length > 0 && (
          <Anchor component={Link} href={all.href} size="sm">
            {all.label}
          </Anchor>
        )}
      </Group>
      {data === undefined && error && (
        <ProblemNotice error={error} title="The jobs cannot be shown" onRetry={() => void refetch()} />
      )}
      {data === undefined && !error && <Skeleton height={64} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      )}
      {data !== undefined && data.length > 0 && (
        <Table.ScrollContainer minWidth={0}>
          <Table verticalSpacing={6} aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ name, cell: _cell, ...rest }) => (
                  <Table.Th key={name} {...rest}>
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((job) => (
                <Table.Tr key={job.id}>
                  {columns.map(({ name, cell, ...rest }) => (
                    <Table.Td key={name} {...rest}>
                      {cell(job)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}
