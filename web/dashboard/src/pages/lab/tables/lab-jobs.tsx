import { Anchor, Group, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { Age, RunTime } from '../../../parts/time.tsx';
import { useJobsOf } from '../lab-queries.ts';
import { JobLink } from '../../../parts/links.tsx';
import { Columns } from '../../../parts/columns.tsx';

/** The last jobs of the lab. */
export function LabJobs({ id }: { readonly id: string }) {
  const { data: jobs, error, refetch } = useJobsOf(id);
  return (
    <section aria-labelledby="jobs">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="jobs">
          Jobs
        </Title>
        <Anchor component={Link} href={`/jobs?instance=${encodeURIComponent(id)}`} size="sm">
          All jobs of this lab
        </Anchor>
      </Group>
      {error && !jobs && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {jobs?.length === 0 && (
        <Text c="dimmed" size="sm">
          No jobs: this lab was not started by this service.
        </Text>
      )}
      {jobs !== undefined && jobs.length > 0 && (
        <Table.ScrollContainer minWidth={300}>
          <Table verticalSpacing={6} aria-labelledby="jobs">
            <Columns names={['State', 'Action', 'Submitted', 'Duration']} numbers={['Duration']} />
            <Table.Tbody>
              {jobs.map((job) => (
                <Table.Tr key={job.id}>
                  <Table.Td>
                    <StateBadge state={job.state} />
                  </Table.Td>
                  <Table.Td>
                    <JobLink id={job.id} fw={600}>
                      {job.action}
                    </JobLink>
                  </Table.Td>
                  <Table.Td c="dimmed">
                    <Age at={job.createdAt} />
                  </Table.Td>
                  <Table.Td ta="right">
                    <RunTime job={job} />
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
