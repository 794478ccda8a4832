import { Badge, Button, Group, Text, Title } from '@mantine/core';
import { IconCopy, IconPencil, IconPlayerStop, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Job } from '../../../../../src/client/api-types.ts';
import { hasEnded } from '../../../../../src/client/lab-api-client.ts';
import { labIdOf } from '../../api/lab-id.ts';
import { useMayOperate, useNewestJobs } from '../../api/queries.ts';
import { labPath } from '../../api/service.ts';
import { copyText } from '../../parts/copy-text.ts';
import { RemoveJob, useCancel, useJobActions, useRetry } from '../../parts/job-actions.tsx';
import { LabLink } from '../../parts/links.tsx';
import { sourceText } from '../../parts/source-text.ts';
import { StateBadge, stateLooks } from '../../parts/state-badge.tsx';
import { durationText } from '../../parts/duration-text.ts';
import { Age, useNow, RunTime } from '../../parts/time.tsx';
import { Tool } from '../../parts/tool.tsx';
import { editableTopology } from '../../parts/topology-of.ts';
import { useEditTopology } from '../../parts/use-edit-topology.ts';
import classes from './job.module.css';

const exact = (at: string): string => new Date(at).toLocaleString();

/** The waiting time and the run time as a bar, in proportion. */
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

interface Props {
  readonly job: Job;
  readonly onGone: () => void;
  readonly onNew: (job: Job) => void;
}

/** Takes down the lab of a job that may have left something, unless another job in its directory has started or stopped one since. */
function TakeDown({ job, onNew }: Pick<Props, 'job' | 'onNew'>) {
  const { takeDown } = useJobActions({ onNew });
  const here = { host: job.host ?? undefined, workdir: job.workdir };
  const { data: newest } = useNewestJobs({ ...here, state: ['success'] });
  const isOver = newest?.some(
    ({ action, createdAt, request }) =>
      ['up', 'restart', 'down'].includes(action) && createdAt > job.createdAt && request.dryRun !== true,
  );
  if (isOver !== false) return null;
  return (
    <Button size="sm" loading={takeDown.isPending} onClick={() => takeDown.mutate(job)}>
      Take down the rest
    </Button>
  );
}

/** Opens the topology of a job that failed in the editor of its workspace, or in the dialog that starts a lab. */
function EditAgain({ job }: { readonly job: Job }) {
  const open = useEditTopology();
  const topology = job.state === 'failed' ? editableTopology(job) : undefined;
  if (topology === undefined) return null;
  const look = { size: 'sm', leftSection: <IconPencil size={16} aria-hidden /> };
  return topology.kind === 'file' ? (
    <Button {...look} component={Link} href={topology.href}>
      Edit and start again
    </Button>
  ) : (
    <Button {...look} loading={open.isPending} onClick={() => open.mutate(job.id)}>
      Edit and start again
    </Button>
  );
}

/** The actions that the state allows: a running job can be canceled, a finished one retried. */
function Buttons({ job, onNew, onRemove }: Props & { readonly onRemove: () => void }) {
  const retry = useRetry({ onNew });
  const cancel = useCancel();
  const isEnded = hasEnded(job.state);
  const isUp = job.state === 'success' && ['up', 'restart'].includes(job.action) && job.instance !== null;
  const mayTakeDown = isEnded && job.mayHaveLeftLab && job.cleanupJobId === null;
  return (
    <Group gap="xs" ml="auto">
      {isUp && (
        <Button component={Link} href={labPath(labIdOf(job))} size="sm">
          Open the lab
        </Button>
      )}
      {mayTakeDown && <TakeDown job={job} onNew={onNew} />}
      <EditAgain job={job} />
      {isEnded ? (
        <Button
          size="sm"
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden />}
          loading={retry.isPending}
          onClick={() => retry.ask(job)}
        >
          Retry
        </Button>
      ) : (
        <Button
          size="sm"
          variant="default"
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          onClick={() => cancel.ask(job)}
        >
          {job.state === 'canceling' ? 'Kill at once' : 'Cancel'}
        </Button>
      )}
      {cancel.question}
      {retry.question}
      {isEnded && (
        <Button
          size="sm"
          variant="default"
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={onRemove}
        >
          Remove
        </Button>
      )}
    </Group>
  );
}

/** Action, state and times of the job, with its actions. */
export function JobHead(props: Props) {
  const { job, onGone } = props;
  const mayOperate = useMayOperate();
  const [isAsked, setAsked] = useState(false);
  const source = sourceText(job);
  return (
    <header>
      <Group gap="sm" wrap="wrap" align="center">
        <Group gap="sm" align="center">
          <Title order={1} size="h3">
            {job.action}
            {job.instance !== null && (
              <>
                {' · '}
                <LabLink id={labIdOf(job)} underline="always" />
              </>
            )}
          </Title>
          <StateBadge state={job.state} />
          <Text component="span" className="numbers">
            <RunTime job={job} />
          </Text>
          <Text c="dimmed" size="sm">
            {job.requestedBy !== null && `${job.requestedBy} · `}
            <Age at={job.createdAt} />
          </Text>
        </Group>
        {mayOperate && <Buttons {...props} onRemove={() => setAsked(true)} />}
      </Group>
      <Group gap={6} mt={2} wrap="wrap">
        <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {job.id}
        </Text>
        <Tool
          size="sm"
          label="Copy the ID"
          Icon={IconCopy}
          iconSize={14}
          onClick={() => void copyText(job.id, 'The ID')}
        />
        {Object.entries(job.labels).map(([name, value]) => (
          <Badge
            key={name}
            variant="default"
            fw={400}
            component={Link}
            href={labelHref(name, value)}
            style={{ cursor: 'pointer' }}
          >
            {value === '' ? name : `${name}=${value}`}
          </Badge>
        ))}
      </Group>
      {source !== undefined && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          from {source}
        </Text>
      )}
      <RemoveJob job={isAsked ? job : undefined} onClose={() => setAsked(false)} onRemoved={onGone} />
    </header>
  );
}

function labelHref(name: string, value: string): string {
  return `/jobs?${new URLSearchParams({ label: `${name}=${value}` })}`;
}
