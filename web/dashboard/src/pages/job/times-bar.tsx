import { Group, Text } from '@mantine/core';
import type { Job } from '../../../../../src/client/api-types.ts';
import { stateLooks } from '../../parts/state-badge.tsx';
import { durationText, useNow } from '../../parts/time.tsx';
import classes from './job.module.css';

const exact = (at: string): string => new Date(at).toLocaleString();

/** How long the job waited and how long it ran, side by side, as long as they were. */
export function TimesBar({ job }: { readonly job: Job }) {
  const now = useNow();
  const created = Date.parse(job.createdAt);
  const ended = job.finishedAt === null ? Math.max(now, created) : Date.parse(job.finishedAt);
  const started = job.startedAt === null ? ended : Date.parse(job.startedAt);
  const waitedMs = Math.max(0, started - created);
  const ranMs = Math.max(0, ended - started);
  const { color } = stateLooks[job.state];
  return (
    <Group gap="sm" wrap="wrap" justify="space-between">
      <div className={classes['times']} style={{ flex: '1 1 14rem' }}>
        <div
          className={`${classes['part']} ${classes['queued']}`}
          style={{ flexGrow: waitedMs + 1 }}
          title={`accepted ${exact(job.createdAt)}`}
        >
          queued {durationText(waitedMs)}
        </div>
        {job.startedAt !== null && (
          <div
            className={classes['part']}
            style={{ flexGrow: ranMs + 1, background: `var(--mantine-color-${color}-light)` }}
            title={`started ${exact(job.startedAt)}`}
          >
            {job.finishedAt === null ? 'running' : 'ran'} {durationText(ranMs)}
          </div>
        )}
      </div>
      <Text size="xs" c="dimmed" className="numbers">
        {job.finishedAt === null ? `accepted ${exact(job.createdAt)}` : `ended ${exact(job.finishedAt)}`}
      </Text>
    </Group>
  );
}
