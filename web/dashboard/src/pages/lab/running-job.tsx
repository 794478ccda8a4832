import { Anchor, Group, Loader, Text } from '@mantine/core';
import { Link } from 'wouter';
import { hasEnded } from '../../../../../src/client/lab-api-client.ts';
import type { Job } from '../../../../../src/client/api-types.ts';
import { progress } from '../../api/live.ts';
import { useStore } from '../../api/store.ts';
import { StateBadge } from '../../parts/state-badge.tsx';

/** The job that is at work on a lab now. */
export const runningOf = (jobs: readonly Job[] | undefined): Job | undefined =>
  jobs?.find(({ state }) => !hasEnded(state));

/** What is done to the lab now, with the last words of it; the whole log is a click away. */
export function RunningJob({ job }: { readonly job: Job }) {
  const message = useStore(progress).get(job.id) ?? job.progress?.message;
  return (
    <Group gap="sm" wrap="nowrap" role="status">
      <Loader size={16} aria-hidden />
      <Anchor component={Link} href={`/jobs/${job.id}`} size="sm" fw={600} style={{ whiteSpace: 'nowrap' }}>
        {job.action}
      </Anchor>
      <StateBadge state={job.state} />
      <Text size="sm" c="dimmed" truncate>
        {message}
      </Text>
    </Group>
  );
}
