import { IconBan, IconCopy, IconRefresh, IconTrash } from '@tabler/icons-react';
import { memo, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../../../../src/client/api-types.ts';
import { hasEnded } from '../../../../../src/client/lab-api-client.ts';
import { labIdOf } from '../../api/lab-id.ts';
import { progress } from '../../api/live.ts';
import { useMayOperate } from '../../api/queries.ts';
import { useStore } from '../../api/store.ts';
import { copyText } from '../../parts/copy-text.ts';
import { LabLink } from '../../parts/links.tsx';
import { MoreMenu, MenuEntry } from '../../parts/menu.tsx';
import { scenarioName } from '../../parts/scenario-name.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Age, RunTime } from '../../parts/time.tsx';
import classes from './jobs.module.css';

interface Props {
  readonly job: Job;
  readonly index: number;
  /** The distance from the top of the table, in pixels. */
  readonly start: number;
  readonly isFocused: boolean;
  readonly onFocus: (id: string) => void;
  readonly onCancel: (job: Job) => void;
  readonly onRetry: (job: Job) => void;
  readonly onRemove: (job: Job) => void;
}

/** The cause of a failure, the progress or the job that it waits for, then the labels. */
function Words({ job }: Pick<Props, 'job'>) {
  const lines = useStore(progress);
  const line = hasEnded(job.state) ? undefined : (lines.get(job.id) ?? job.progress?.message);
  const labels = Object.entries(job.labels).map(([name, value]) =>
    value === '' ? name : `${name}=${value}`,
  );
  const wait = job.waitsFor?.job ? `waits for ${job.waitsFor.job}` : null;
  const words = line ?? (job.state === 'failed' ? job.error : wait);
  const text = [...(words === null ? [] : [words]), ...labels].join(' · ');
  return <span title={text}>{text}</span>;
}

function RowMenu({ job, onCancel, onRetry, onRemove }: Props) {
  const mayOperate = useMayOperate();
  const isEnded = hasEnded(job.state);
  return (
    <MoreMenu label={`Actions of ${job.id}`}>
      {mayOperate && !isEnded && (
        <MenuEntry Icon={IconBan} onClick={() => onCancel(job)}>
          {job.state === 'queued' ? 'Cancel' : 'Cancel…'}
        </MenuEntry>
      )}
      {mayOperate && isEnded && (
        <MenuEntry Icon={IconRefresh} onClick={() => onRetry(job)}>
          Retry
        </MenuEntry>
      )}
      <MenuEntry Icon={IconCopy} onClick={() => void copyText(job.id, 'The ID')}>
        Copy the ID
      </MenuEntry>
      {mayOperate && isEnded && (
        <MenuEntry Icon={IconTrash} isDangerous onClick={() => onRemove(job)}>
          Remove…
        </MenuEntry>
      )}
    </MoreMenu>
  );
}

/** Whether its row has a line for the cause on narrow screens. */
export const hasCause = (job: Job | undefined): boolean => job?.state === 'failed' && job.error !== null;

const cell = (name: string): string => `${classes['cell']} ${classes[name] ?? ''}`;

/** The end of a path, which says more than its beginning. */
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
      data-cause={hasCause(job) || undefined}
      style={{ transform: `translateY(${start}px)` }}
      onFocus={() => onFocus(job.id)}
    >
      <div role="cell" className={cell('state')}>
        <StateBadge state={job.state} />
      </div>
      <div role="cell" className={cell('actionCell')}>
        <Link ref={link} href={`/jobs/${job.id}`} className={classes['action'] ?? ''} title={job.id}>
          {job.action}
        </Link>{' '}
        <span className={classes['faint']} title={job.request.scenarioPath}>
          {scenarioName(job)}
        </span>
      </div>
      <div role="cell" className={cell('lab')}>
        {job.instance !== null && <LabLink id={labIdOf(job)} />}
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
        <RunTime job={job} />
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
