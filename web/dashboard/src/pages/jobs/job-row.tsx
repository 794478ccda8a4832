import { labIdOf } from '../../api/lab-id.ts';
import { ActionIcon, Anchor, Menu } from '@mantine/core';
import { IconBan, IconCopy, IconDots, IconRefresh, IconTrash } from '@tabler/icons-react';
import { memo, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../../../../src/client/api-types.ts';
import { hasEnded } from '../../../../../src/client/lab-api-client.ts';
import { progress } from '../../api/live.ts';
import { useMayOperate } from '../../api/queries.ts';
import { useStore } from '../../api/store.ts';
import { copyText } from '../../parts/copy-text.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Age, durationText, useNow } from '../../parts/time.tsx';
import classes from './jobs.module.css';

interface Props {
  readonly job: Job;
  readonly index: number;
  /** Where it is from the top of the table, in pixels. */
  readonly start: number;
  readonly isFocused: boolean;
  readonly onFocus: (id: string) => void;
  readonly onCancel: (id: string) => void;
  readonly onRetry: (id: string) => void;
  readonly onRemove: (job: Job) => void;
}

function Running({ since }: { readonly since: string }) {
  return durationText(useNow() - Date.parse(since));
}

function Took({ job: { startedAt, finishedAt } }: Pick<Props, 'job'>) {
  if (startedAt === null) return null;
  if (finishedAt === null) return <Running since={startedAt} />;
  return durationText(Date.parse(finishedAt) - Date.parse(startedAt));
}

/** The newest line of what it prints, while it runs; else what it was labeled with, and why it failed. */
function Words({ job }: Pick<Props, 'job'>) {
  const lines = useStore(progress);
  const line = hasEnded(job.state) ? undefined : (lines.get(job.id) ?? job.progress?.message);
  const labels = Object.entries(job.labels).map(([name, value]) =>
    value === '' ? name : `${name}=${value}`,
  );
  const words = line ?? (job.state === 'failed' ? job.error : null);
  const text = [...labels, ...(words === null ? [] : [words])].join(' · ');
  return <span title={text}>{text}</span>;
}

function RowMenu({ job, onCancel, onRetry, onRemove }: Props) {
  const mayOperate = useMayOperate();
  const isEnded = hasEnded(job.state);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`What one can do with ${job.id}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {mayOperate && !isEnded && (
          <Menu.Item leftSection={<IconBan size={16} />} onClick={() => onCancel(job.id)}>
            Cancel
          </Menu.Item>
        )}
        {mayOperate && isEnded && (
          <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => onRetry(job.id)}>
            Retry
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => void copyText(job.id, 'The id')}>
          Copy the id
        </Menu.Item>
        {mayOperate && isEnded && (
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => onRemove(job)}>
            Remove …
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

const cell = (name: string): string => `${classes['cell']} ${classes[name] ?? ''}`;

/** The end of a path, which tells more than its beginning. */
function shortPath(path: string): string {
  const names = path.split('/');
  return names.length <= 4 ? path : `…/${names.slice(-2).join('/')}`;
}

export const JobRow = memo(function JobRow(props: Props) {
  const { job, index, start, isFocused, onFocus } = props;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isFocused) link.current?.focus({ preventScroll: true });
  }, [isFocused]);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes['row']}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={() => onFocus(job.id)}
    >
      <div role="cell" className={cell('state')}>
        <StateBadge state={job.state} />
      </div>
      <div role="cell" className={cell('actionCell')}>
        <Link ref={link} href={`/jobs/${job.id}`} className={classes['action'] ?? ''} title={job.id}>
          {job.action}
        </Link>
      </div>
      <div role="cell" className={cell('lab')}>
        {job.instance !== null && (
          <Anchor component={Link} href={`/labs/${encodeURIComponent(labIdOf(job))}`} inherit>
            {labIdOf(job)}
          </Anchor>
        )}
      </div>
      <div role="cell" className={`${cell('where')} ${classes['faint']}`} title={job.workdir}>
        {job.workspace ?? shortPath(job.workdir)}
      </div>
      <div role="cell" className={cell('by')}>
        {job.requestedBy}
      </div>
      <div role="cell" className={`${cell('when')} ${classes['number']} ${classes['faint']}`}>
        <Age at={job.createdAt} />
      </div>
      <div role="cell" className={`${cell('took')} ${classes['number']}`}>
        <Took job={job} />
      </div>
      <div role="cell" className={`${cell('labels')} ${classes['faint']}`}>
        <Words job={job} />
      </div>
      <div role="cell" className={classes['menu']}>
        <RowMenu {...props} />
      </div>
    </div>
  );
});
