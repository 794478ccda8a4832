import { Anchor, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import type { Job } from '../../../../../src/client/api-types.ts';
import { useArtifacts } from '../../api/queries.ts';
import { addressOf } from '../../api/service.ts';
import { JobLink } from '../../parts/links.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Age } from '../../parts/time.tsx';
import { useJobsIn } from './queries.ts';
import quiet from '../../parts/quiet-table.module.css';

/** Downloads the artifacts of a job as an archive; nothing without artifacts. */
function Artifacts({ job: { id, finishedAt } }: { readonly job: Job }) {
  const count = useArtifacts(id, finishedAt !== null).data?.artifacts.length ?? 0;
  if (count === 0) return null;
  const words = count === 1 ? '1 artifact' : `${count} artifacts`;
  return (
    <Anchor
      href={addressOf(`/jobs/${id}/artifacts?format=tar.gz`)}
      download={`${id}.tar.gz`}
      size="sm"
      aria-label={`Download ${words} of ${id}`}
    >
      {words}
    </Anchor>
  );
}

/** The newest jobs of a workspace. */
export function JobsIn({ workspace }: { readonly workspace: string }) {
  const { data: jobs, error, refetch } = useJobsIn(workspace);
  return (
    <Stack gap="xs" component="section" aria-label="Jobs in this workspace">
      <Group justify="space-between">
        <Title order={2} size="h5">
          Jobs in this workspace
        </Title>
        {jobs !== undefined && jobs.length > 0 && (
          <Anchor component={Link} href={`/jobs?workspace=${encodeURIComponent(workspace)}`} size="sm">
            All jobs
          </Anchor>
        )}
      </Group>
      {jobs === undefined && error && (
        <ProblemNotice error={error} title="The jobs cannot be shown" onRetry={() => void refetch()} />
      )}
      {jobs === undefined && !error && <Skeleton height={64} />}
      {jobs?.length === 0 && (
        <Text size="sm" c="dimmed">
          No jobs yet.
        </Text>
      )}
      {jobs !== undefined && jobs.length > 0 && (
        <Table.ScrollContainer minWidth={0}>
          <Table verticalSpacing={6} className={quiet['table'] ?? ''}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Job</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Submitted</Table.Th>
                <Table.Th visibleFrom="xs">User</Table.Th>
                <Table.Th>Artifacts</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {jobs.map((job) => (
                <Table.Tr key={job.id}>
                  <Table.Td>
                    <JobLink id={job.id} aria-label={`${job.action}, ${job.id}`}>
                      {job.action}
                    </JobLink>
                  </Table.Td>
                  <Table.Td>
                    <StateBadge state={job.state} />
                  </Table.Td>
                  <Table.Td>
                    <Age at={job.createdAt} />
                  </Table.Td>
                  <Table.Td visibleFrom="xs">{job.requestedBy ?? '–'}</Table.Td>
                  <Table.Td>
                    <Artifacts job={job} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}
