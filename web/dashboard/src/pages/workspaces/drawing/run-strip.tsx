import { Anchor, Button, Group, Loader, Text } from '@mantine/core';
import { IconPlayerPlay, IconRefresh } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { progress } from '../../../api/live.ts';
import { useLabTopology } from '../../../api/queries.ts';
import { labPath } from '../../../api/service.ts';
import { useStore } from '../../../api/store.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import { labText } from '../../../parts/lab-title.ts';
import { JobLink } from '../../../parts/links.tsx';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { labChanges } from './lab-changes.ts';
import { LabLinks } from './lab-links.tsx';
import { RestartQuestion } from './restart-question.tsx';
import type { Selection } from './selection.ts';
import type { LabRun } from './use-lab-run.ts';

interface Props {
  readonly run: LabRun;
  readonly drawing: Drawing;
  /** Why it cannot be started now. */
  readonly obstacle: string | undefined;
  readonly isReadOnly: boolean;
  readonly isUnsaved: boolean;
  readonly selected: Selection;
  /** How many mistakes of the file are known. */
  readonly mistakes: number;
}

/** The state of the lab or of its start, in words. */
function RunWords({
  run: { lab, job, isBusy },
  drawing,
  obstacle,
}: Pick<Props, 'run' | 'drawing' | 'obstacle'>) {
  const line = useStore(progress).get(job?.id ?? '');
  if (isBusy)
    return (
      <Group gap={6} wrap="nowrap" miw={0}>
        <Loader size={14} aria-hidden />
        <Text size="sm" truncate>
          {job?.action === 'down' ? 'Stopping' : 'Starting'}
          {line === undefined ? '…' : `: ${line}`}
        </Text>
        {job && <JobLink id={job.id}>log</JobLink>}
      </Group>
    );
  if (job && job.error !== null)
    return (
      <Text size="sm" c="var(--mantine-color-red-text)" style={{ overflowWrap: 'anywhere' }}>
        {job.request.replace === true
          ? 'The lab was stopped, and not started again'
          : 'The lab was not started'}
        : {job.error} <JobLink id={job.id}>log</JobLink>
      </Text>
    );
  if (!lab)
    return (
      <Text size="sm" c="dimmed">
        {obstacle ?? 'No lab runs here.'}
      </Text>
    );
  const drawnAlone = drawing.nodes.filter(({ name }) => !lab.nodes.some((node) => node.name === name)).length;
  const up = lab.nodes.filter(({ state }) => state === 'up').length;
  return (
    <Text size="sm">
      <Anchor component={Link} href={labPath(lab.id)}>
        Lab {labText(lab)}
      </Anchor>
      : {up} of {lab.nodes.length} {lab.nodes.length === 1 ? 'node' : 'nodes'} up
      {drawnAlone > 0 && `, ${drawnAlone} in the drawing alone`}
    </Text>
  );
}

/** Starts the lab of the drawing and tells how it is doing. */
export function RunStrip({ run, drawing, obstacle, isReadOnly, isUnsaved, selected, mistakes }: Props) {
  const { lab, isBusy, error, start } = run;
  const [isAsked, setAsked] = useState(false);
  const topology = useLabTopology(lab?.id ?? '', lab !== undefined).data;
  const isSame = useMemo(
    () => topology !== undefined && labChanges(topology, drawing).length === 0,
    [topology, drawing],
  );
  // The question is about this lab, and not about the next one here.
  if (isAsked && !lab) setAsked(false);
  return (
    <>
      <Group gap="sm" px={12} py={6} justify="space-between" role="group" aria-label="Lab">
        <div role="status" style={{ minWidth: 0, flex: '1 1 200px' }}>
          <RunWords run={run} drawing={drawing} obstacle={obstacle} />
        </div>
        {lab && <LabLinks lab={lab} drawing={drawing} selected={selected} />}
        {!isReadOnly && (
          <Button
            size="xs"
            variant={lab && isSame && !isUnsaved ? 'default' : 'filled'}
            leftSection={
              lab ? <IconRefresh size={16} aria-hidden /> : <IconPlayerPlay size={16} aria-hidden />
            }
            disabled={obstacle !== undefined}
            title={obstacle}
            loading={isBusy}
            onClick={() => (lab ? setAsked(true) : start())}
          >
            {lab ? 'Restart from this drawing…' : 'Save and start'}
          </Button>
        )}
      </Group>
      {error && <ProblemNotice error={error} title="The lab is not being started" />}
      {isAsked && lab && (
        <RestartQuestion
          lab={lab}
          drawing={drawing}
          mistakes={mistakes}
          onClose={() => setAsked(false)}
          onYes={() => {
            setAsked(false);
            start();
          }}
        />
      )}
    </>
  );
}
