import { Card, Divider, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Job } from '../../../../../src/client/api-types.ts';
import { addressOf, labPath } from '../../api/service.ts';
import { LabActions } from '../../parts/lab-actions/lab-actions.tsx';
import { JobLink } from '../../parts/links.tsx';
import { providerText } from '../../parts/lab-title.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { TimeLeft, Age } from '../../parts/time.tsx';
import { JobProgressLine, LabName, LabPlace, LabProblem, LastJob, NodesUp } from './lab-facts.tsx';
import { comingTitle, type Row } from './lab-rows.ts';
import { Tick, type Ticks } from './several-labs.tsx';
import classes from './labs.module.css';

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} style={{ minWidth: 0 }}>
        {children}
      </Text>
    </>
  );
}

/** In a card, the picture of a larger lab shows nothing. */
const picturedNodesMax = 40;

/** Nothing for a lab that has no picture, because its topology cannot be read. */
function LabPicture({ lab: { id, nodes, startedAt } }: { readonly lab: LabCardProps['row']['lab'] }) {
  if (nodes.length === 0 || nodes.length > picturedNodesMax) return null;
  return (
    <img
      key={startedAt}
      className={classes['thumbnail']}
      src={addressOf(labPath(id, 'topology.svg'))}
      alt=""
      loading="lazy"
      onError={({ currentTarget }) => {
        currentTarget.hidden = true;
      }}
    />
  );
}

interface LabCardProps {
  readonly row: Extract<Row, { kind: 'lab' }>;
  readonly ticks: Ticks;
}

function LabCard({ row: { lab, lastJob }, ticks }: LabCardProps) {
  return (
    <Card withBorder padding="md" component="li" className={classes['card'] ?? ''}>
      <Group justify="space-between" wrap="nowrap" align="start" mb="xs">
        <Stack gap={6} align="start" miw={0}>
          <LabName lab={lab} />
          <StateBadge state={lab.state} />
        </Stack>
        <Group gap="xs" wrap="nowrap">
          <Tick lab={lab} ticks={ticks} />
          <LabActions lab={lab} isCompact />
        </Group>
      </Group>
      <LabPicture lab={lab} />
      <dl className={classes['facts']}>
        <Fact name="Nodes">
          <NodesUp lab={lab} />
          {lab.provider !== null && (
            <Text inherit span c="dimmed">
              {' '}
              on {providerText(lab)}
            </Text>
          )}
        </Fact>
        <Fact name={lab.workspace === null ? 'Directory' : 'Workspace'}>
          <LabPlace workspace={lab.workspace} workdir={lab.workdir} />
        </Fact>
        {lab.owner !== null && <Fact name="Owner">{lab.owner}</Fact>}
        {lab.startedAt !== null && (
          <Fact name="Started">
            <Age at={lab.startedAt} />
          </Fact>
        )}
        <Fact name="Time left">
          <TimeLeft until={lab.expiresAt} />
        </Fact>
      </dl>
      {lab.problem !== null && <LabProblem problem={lab.problem} />}
      <Divider my="xs" mt="auto" />
      <Text component="div" size="sm">
        <LastJob lab={lab} job={lastJob} />
      </Text>
    </Card>
  );
}

function ComingCard({ job }: { readonly job: Job }) {
  return (
    <Card withBorder padding="md" component="li" className={classes['card'] ?? ''} data-coming>
      <Stack gap={6} align="start" mb="xs">
        <JobLink id={job.id} inherit={false} fw={600} style={{ overflowWrap: 'anywhere' }}>
          {comingTitle(job)}
        </JobLink>
        <StateBadge state={job.state === 'running' ? 'starting' : job.state} />
      </Stack>
      <dl className={classes['facts']}>
        <Fact name={job.workspace === null ? 'Directory' : 'Workspace'}>
          <LabPlace workspace={job.workspace} workdir={job.workdir} />
        </Fact>
        {job.requestedBy !== null && <Fact name="User">{job.requestedBy}</Fact>}
        <Fact name="Submitted">
          <Age at={job.createdAt} />
        </Fact>
      </dl>
      <Divider my="xs" mt="auto" />
      <JobProgressLine job={job} />
    </Card>
  );
}

export function LabCards({ rows, ticks }: { readonly rows: readonly Row[]; readonly ticks: Ticks }) {
  return (
    <SimpleGrid
      component="ul"
      aria-label="Labs"
      cols={{ base: 1, sm: 2, lg: 3, xl: 4 }}
      p={0}
      m={0}
      style={{ listStyle: 'none' }}
    >
      {rows.map((row) =>
        row.kind === 'lab' ? (
          <LabCard key={row.key} row={row} ticks={ticks} />
        ) : (
          <ComingCard key={row.key} job={row.job} />
        ),
      )}
    </SimpleGrid>
  );
}
