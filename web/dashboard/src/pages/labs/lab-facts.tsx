/** Single facts of a lab, for cards and table rows. */
import { Group, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleDot, IconCircleX } from '@tabler/icons-react';
import type { Job, Lab } from '../../../../../src/client/api-types.ts';
import { progress } from '../../api/live.ts';
import { useJob } from '../../api/queries.ts';
import { useStore } from '../../api/store.ts';
import { labNames } from '../../parts/lab-title.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Age } from '../../parts/time.tsx';
import { JobLink, LabLink, WorkspaceLink } from '../../parts/links.tsx';

export function LabName({ lab }: { readonly lab: Lab }) {
  const { title, id } = labNames(lab);
  return (
    <Group gap={6} wrap="nowrap" miw={0}>
      <LabLink id={lab.id} inherit={false} fw={600} style={{ overflowWrap: 'anywhere' }}>
        {title}
      </LabLink>
      {id !== undefined && (
        <Text inherit span c="dimmed" title="lab instance">
          {id}
        </Text>
      )}
    </Group>
  );
}

export function NodesUp({ lab: { nodes, problem } }: { readonly lab: Lab }) {
  const up = nodes.filter(({ state }) => state === 'up').length;
  const down = nodes.filter(({ state }) => state === 'down').length;
  if (nodes.length === 0)
    return (
      <Text inherit span c="dimmed">
        {problem === null ? 'no nodes yet' : 'nodes unknown'}
      </Text>
    );
  const Icon = down > 0 ? IconCircleX : IconCircleDot;
  return (
    <Group component="span" gap={6} wrap="nowrap" display="inline-flex" style={{ verticalAlign: 'bottom' }}>
      <Icon
        size={14}
        color={`var(--mantine-color-${down > 0 ? 'red' : up > 0 ? 'green' : 'gray'}-6)`}
        aria-hidden
      />
      <span style={{ whiteSpace: 'nowrap' }}>
        {up} of {nodes.length} up
      </span>
    </Group>
  );
}

export function LabProblem({ problem }: { readonly problem: string }) {
  return (
    <Group gap={6} wrap="nowrap" align="start" c="var(--mantine-color-orange-text)">
      <IconAlertTriangle size={16} style={{ flexShrink: 0, marginTop: 2 }} aria-hidden />
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {problem}
      </Text>
    </Group>
  );
}

/** The workspace, else the end of the directory, which says more than its beginning. */
export function LabPlace({ workspace, workdir }: { workspace: string | null; workdir: string | null }) {
  if (workspace !== null)
    return <WorkspaceLink id={workspace} title={workdir ?? workspace} style={{ overflowWrap: 'anywhere' }} />;
  if (workdir === null)
    return (
      <Text inherit span c="dimmed">
        unknown
      </Text>
    );
  const end = workdir.split('/').slice(-2).join('/');
  return (
    <Text inherit span title={workdir} style={{ overflowWrap: 'anywhere' }}>
      {workdir.split('/').length > 3 ? `…/${end}` : workdir}
    </Text>
  );
}

/** The latest progress of an unfinished job. */
export function JobProgressLine({ job }: { readonly job: Job }) {
  const line = useStore(progress).get(job.id) ?? job.progress?.message;
  if (line === undefined && job.waitsFor?.job)
    return (
      <Text size="xs" c="dimmed" truncate>
        waits for <JobLink id={job.waitsFor.job} />
      </Text>
    );
  const text =
    job.state === 'queued' && job.queuePosition !== null && line === undefined
      ? job.queuePosition === 1
        ? 'starts next'
        : `${job.queuePosition - 1} jobs before it`
      : line;
  return (
    <Text size="xs" c="dimmed" truncate title={text}>
      {text ?? 'no output yet'}
    </Text>
  );
}

function KnownJob({ job }: { readonly job: Job }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Group gap={6} wrap="nowrap">
        <StateBadge state={job.state} />
        <JobLink id={job.id} title={job.id} aria-label={`${job.action}, job ${job.id}`}>
          {job.action}
        </JobLink>
        <Text inherit span c="dimmed">
          <Age at={job.finishedAt ?? job.createdAt} />
        </Text>
      </Group>
      {job.finishedAt === null && <JobProgressLine job={job} />}
    </div>
  );
}

function AskedJob({ id }: { readonly id: string }) {
  const { data, isPending } = useJob(id);
  if (isPending) return <Skeleton h={20} w={120} />;
  return data ? <KnownJob job={data} /> : <NoJob />;
}

function NoJob() {
  return (
    <Text inherit span c="dimmed">
      none
    </Text>
  );
}

/** The newest job of a lab: `job` if it is loaded, else it is fetched. */
export function LastJob({ lab, job }: { readonly lab: Lab; readonly job: Job | undefined }) {
  if (job !== undefined) return <KnownJob job={job} />;
  const [id] = lab.jobs;
  return id === undefined ? <NoJob /> : <AskedJob id={id} />;
}
