/** One action for several labs, after one question that lists them. */
import { Button, Checkbox, Group, List, Text } from '@mantine/core';
import { IconClockPlus, IconPlayerStop } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { useMay, useMayOperate } from '../../api/queries.ts';
import { fetchAgain } from '../../api/query-client.ts';
import { labPath, sendTo, submitJob } from '../../api/service.ts';
import { laterEnd, momentText } from '../../parts/lab-actions/lab-words.ts';
import { WaitsFor } from '../../parts/lab-actions/waits-for.tsx';
import { labText } from '../../parts/lab-title.ts';
import { Question } from '../../parts/question.tsx';
import { messageOf } from '../../parts/tell.ts';
import { useNow } from '../../parts/time.tsx';
import type { Row } from './lab-rows.ts';
import classes from './labs.module.css';

interface Deed {
  readonly title: string;
  readonly yes: string;
  readonly isDangerous: boolean;
  /** The labs that it is for. */
  readonly labs: readonly Lab[];
  readonly effectOn: (lab: Lab) => string;
  readonly act: (lab: Lab) => Promise<unknown>;
}

const countText = (count: number): string => (count === 1 ? '1 lab' : `${count} labs`);
const nodesText = (count: number): string => (count === 1 ? '1 node is lost' : `${count} nodes are lost`);

function stopping(labs: readonly Lab[]): Deed {
  return {
    title: `Stop ${countText(labs.length)}?`,
    yes: `Stop ${countText(labs.length)}`,
    isDangerous: true,
    labs,
    effectOn: ({ nodes }) => nodesText(nodes.length),
    act: async ({ id, cli, workdir }) =>
      submitJob({ action: 'down', instance: id, cli, ...(workdir !== null && { workdir }) }),
  };
}

function extending(labs: readonly Lab[], hours: number, nowMs: number): Deed {
  const endOf = (lab: Lab): Date => laterEnd(lab.expiresAt, hours, nowMs);
  // A lab without an end would get a shorter life.
  const ending = labs.filter(({ expiresAt }) => expiresAt !== null);
  return {
    title: `Extend ${countText(ending.length)} by ${hours} h?`,
    yes: `Extend ${countText(ending.length)}`,
    isDangerous: false,
    labs: ending,
    effectOn: (lab) => `until ${momentText(endOf(lab))}`,
    act: async (lab) => sendTo('PATCH', labPath(lab.id), { body: { expiresAt: endOf(lab).toISOString() } }),
  };
}

/** Does it for all labs, and throws the refusals as one error. */
async function actOnAll({ labs, act }: Deed): Promise<void> {
  const ends = await Promise.allSettled(labs.map(act));
  await fetchAgain(['labs'], ['jobs']);
  const refusals = ends.flatMap((end, at) => {
    const lab = labs[at];
    return end.status === 'rejected' && lab ? [`${labText(lab)}: ${messageOf(end.reason)}`] : [];
  });
  if (refusals.length > 0) throw new Error(refusals.join('; '));
}

function DeedDialog({ deed, onClose }: { readonly deed: Deed; readonly onClose: (isDone: boolean) => void }) {
  const doing = useMutation({
    mutationFn: async () => actOnAll(deed),
    onSuccess: () => onClose(true),
  });
  return (
    <Question
      title={deed.title}
      no={deed.isDangerous ? 'Keep them' : 'Cancel'}
      yes={deed.yes}
      isDangerous={deed.isDangerous}
      isBusy={doing.isPending}
      isDisabled={doing.isError}
      error={doing.error}
      errorTitle="It was not done for these"
      focus={deed.isDangerous ? 'no' : 'yes'}
      onClose={() => onClose(doing.isError)}
      onYes={() => doing.mutate()}
    >
      <List size="sm" mah="40vh" style={{ overflowY: 'auto' }}>
        {deed.labs.map((lab) => (
          <List.Item key={lab.id}>
            {labText(lab)}:{' '}
            <Text span inherit c="dimmed">
              {deed.effectOn(lab)}
            </Text>
            {deed.isDangerous && <WaitsFor lab={lab} />}
          </List.Item>
        ))}
      </List>
    </Question>
  );
}

export interface Ticks {
  readonly isTicked: (id: string) => boolean;
  readonly tick: (id: string, isTicked: boolean) => void;
}

/** The labs that the user has ticked, in cards and table alike. */
export function useTicks(rows: readonly Row[]) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const mayOperate = useMayOperate();
  const isTicked = (id: string): boolean => ticked.has(id);
  // A lab that is gone, or that a filter hides, is not acted upon.
  const labs = rows.flatMap((row) =>
    row.kind === 'lab' && mayOperate && row.lab.may.includes('down') ? [row.lab] : [],
  );
  return {
    labs: labs.filter(({ id }) => isTicked(id)),
    /** The number of the labs that can be ticked. */
    count: labs.length,
    isTicked,
    tick: (id: string, isNow: boolean): void => {
      const others = [...ticked].filter((one) => one !== id);
      setTicked(new Set(isNow ? [...others, id] : others));
    },
    tickAll: (): void => setTicked(new Set(labs.map(({ id }) => id))),
    untickAll: (): void => setTicked(new Set()),
  };
}

/** Ticks a lab, if the user may stop it; else nothing. */
export function Tick({ lab, ticks: { isTicked, tick } }: { readonly lab: Lab; readonly ticks: Ticks }) {
  const may = useMay(lab);
  if (!may('down')) return null;
  return (
    <Checkbox
      size="xs"
      aria-label={`Tick ${labText(lab)}`}
      title="Stop or extend several labs at once"
      checked={isTicked(lab.id)}
      onChange={(event) => tick(lab.id, event.currentTarget.checked)}
    />
  );
}

/** The actions for the labs that are ticked. They stay in view below the list, which does not move for them. */
export function SeveralLabs({ ticks }: { readonly ticks: ReturnType<typeof useTicks> }) {
  const { labs, count, tickAll, untickAll } = ticks;
  const now = useNow();
  const [deed, setDeed] = useState<Deed>();
  const look = { size: 'xs', variant: 'default' } as const;
  return (
    <Group
      gap="xs"
      role="group"
      aria-label="Actions for the ticked labs"
      className={classes['several'] ?? ''}
    >
      <Text size="sm">{countText(labs.length)}:</Text>
      <Button
        {...look}
        leftSection={<IconPlayerStop size={16} aria-hidden />}
        onClick={() => setDeed(stopping(labs))}
      >
        Stop…
      </Button>
      {[1, 4].map((hours) => (
        <Button
          key={hours}
          {...look}
          disabled={labs.every(({ expiresAt }) => expiresAt === null)}
          title="Only labs with an end are extended"
          leftSection={<IconClockPlus size={16} aria-hidden />}
          onClick={() => setDeed(extending(labs, hours, now))}
        >
          +{hours} h…
        </Button>
      ))}
      {labs.length < count && (
        <Button size="xs" variant="subtle" onClick={tickAll}>
          Tick all {count}
        </Button>
      )}
      <Button size="xs" variant="subtle" onClick={untickAll}>
        Untick all
      </Button>
      {deed && (
        <DeedDialog
          deed={deed}
          onClose={(isDone) => {
            setDeed(undefined);
            if (isDone) untickAll();
          }}
        />
      )}
    </Group>
  );
}
