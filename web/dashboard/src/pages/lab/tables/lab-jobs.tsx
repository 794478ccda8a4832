import { Anchor, Group, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { Job } from '../../../../../../src/client/api-types.ts';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { Age, durationText, useNow } from '../../../parts/time.tsx';
import { useJobsOf } from '../lab-queries.ts';

function Duration({ job: { startedAt, finishedAt } }: { readonly job: Job }) {
  const now = useNow();
  if (startedAt === null) return null;
  const endMs = finishedAt === null ? now : Date.parse(finishedAt);
  return durationText(endMs - Date.parse(startedAt));
}

/** What was done with the lab last. */
export function LabJobs({ id }: { readonly id: string }) {
  const { data: jobs, error, refetch } = useJobsOf(id);
  return (
    <section aria-labelledby="jobs">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="jobs">
          Jobs
        </Title>
        <Anchor component={Link} href={`/jobs?instance=${encodeURIComponent(id)}`} size="sm">
          All its jobs
        </Anchor>
      </Group>
      {error && !jobs && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {jobs?.length === 0 && (
        <Text c="dimmed" size="sm">
          No job is known that did anything with this lab: somebody started it by hand.
        </Text>
      )}
      {jobs !== undefined && jobs.length > 0 && (
        <Table.ScrollContainer minWidth={300}>
          <Table verticalSpacing={6} aria-labelledby="jobs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>State</Table.Th>
                <Table.Th>Action</Table.Th>
                <Table.Th>When</Table.Th>
                <Table.Th ta="right">Took</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {jobs.map((job) => (
                <Table.Tr key={job.id}>
                  <Table.Td>
                    <StateBadge state={job.state} />
                  </Table.Td>
                  <Table.Td>
                    <Anchor component={Link} href={`/jobs/${job.id}`} inherit fw={600}>
                      {job.action}
                    </Anchor>
                  </Table.Td>
                  <Table.Td c="dimmed">
                    <Age at={job.createdAt} />
                  </Table.Td>
                  <Table.Td ta="right">
                    <Duration job={job} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </section>
  );
}
