/** The labs that have ended and can be started again, below those that are up. */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { StoppedLab } from '../../../../../src/client/api-types.ts';
import { useMayOperate } from '../../api/queries.ts';
import { labIdOf } from '../../api/lab-id.ts';
import { StartAgain, StoppedMenu } from '../../parts/start-again.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Age } from '../../parts/time.tsx';
import { LabPlace } from './lab-facts.tsx';

/** So many are shown at first: a server that runs pipelines has hundreds. */
const shownFirst = 6;

function StoppedRow({ lab }: { readonly lab: StoppedLab }) {
  const mayOperate = useMayOperate();
  return (
    <Paper withBorder component="li" px="md" py="xs">
      <Group gap="sm" wrap="wrap">
        <StateBadge state="stopped" />
        <Text fw={600} component="div" miw={0}>
          <LabPlace workspace={lab.workspace} workdir={lab.workdir} />
        </Text>
        <Group gap="sm" style={{ flex: '1 1 10rem' }} c="dimmed" fz="sm">
          {lab.instance !== null && <span>lab {labIdOf(lab)}</span>}
          {lab.owner !== null && <span>{lab.owner}</span>}
          {lab.stoppedAt !== null && (
            <span>
              stopped <Age at={lab.stoppedAt} />
            </span>
          )}
        </Group>
        {mayOperate && lab.mayStart && (
          <Group gap="xs" wrap="nowrap">
            <StartAgain lab={lab} />
            <StoppedMenu lab={lab} />
          </Group>
        )}
      </Group>
    </Paper>
  );
}

export function StoppedLabs({ labs }: { readonly labs: readonly StoppedLab[] }) {
  const [isAll, setAll] = useState(false);
  if (labs.length === 0) return null;
  const shown = isAll ? labs : labs.slice(0, shownFirst);
  return (
    <Stack gap="xs" component="section" aria-labelledby="stopped-labs">
      <Title order={2} size="h4" id="stopped-labs">
        Stopped
      </Title>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-labelledby="stopped-labs">
        {shown.map((lab) => (
          <StoppedRow key={`${lab.host ?? ''} ${lab.workdir}`} lab={lab} />
        ))}
      </Stack>
      {shown.length < labs.length && (
        <Group>
          <Button variant="subtle" size="xs" onClick={() => setAll(true)}>
            Show all {labs.length}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
