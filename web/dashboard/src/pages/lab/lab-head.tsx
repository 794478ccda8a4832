import { Code, Group, Stack, Text, Title } from '@mantine/core';
import type { Lab } from '../../../../../src/client/api-types.ts';
import { drawnState } from '../../../../../src/labs/picture/words.ts';
import { LabActions } from '../../parts/lab-actions/lab-actions.tsx';
import { labTitle, providerText } from '../../parts/lab-title.ts';
import { ShareLab } from '../../parts/shares/share-buttons.tsx';
import { sharesText } from '../../parts/shares-text.ts';
import { sourceText } from '../../parts/source-text.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Age, TimeLeft } from '../../parts/time.tsx';
import { WorkspaceLink } from '../../parts/links.tsx';

/** `11 of 11 nodes up`. */
function nodesText({ nodes }: Lab): string {
  const up = nodes.filter(({ state }) => state === 'up').length;
  const late = nodes.filter(({ state, ready }) => drawnState(state, ready) === 'late').length;
  const notReady = late === 0 ? '' : `, ${late} not ready`;
  return `${up} of ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} up${notReady}`;
}

/** Name, state, facts and actions of the lab. */
export function LabHead({ lab }: { readonly lab: Lab }) {
  const { id, state, nodes, startedAt, expiresAt, owner, workspace, workdir } = lab;
  const title = labTitle(lab);
  const source = sourceText(lab);
  return (
    <Group justify="space-between" align="start" gap="sm">
      <Stack gap={4} miw={0}>
        <Group gap="sm">
          <Title order={1} size="h3" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {title !== id && <Code>{id}</Code>}
          <StateBadge state={state} />
        </Group>
        <Group gap={6} c="dimmed" fz="sm" className="numbers" role="list" aria-label="About this lab">
          {[
            nodes.length > 0 && nodesText(lab),
            providerText(lab),
            startedAt !== null && (
              <>
                started <Age at={startedAt} />
              </>
            ),
            expiresAt !== null && <TimeLeft until={expiresAt} />,
            owner !== null && `of ${owner}`,
            sharesText(lab),
            workspace !== null && (
              <>
                in <WorkspaceLink id={workspace} />
              </>
            ),
            workspace === null && workdir !== null && `in ${workdir}`,
            source !== undefined && `from ${source}`,
          ]
            .filter((fact) => fact !== false && fact !== null && fact !== undefined)
            .map((fact, index) => (
              <Group key={index} gap={6} role="listitem">
                {index > 0 && <span aria-hidden>·</span>}
                <Text inherit component="span" style={{ overflowWrap: 'anywhere' }}>
                  {fact}
                </Text>
              </Group>
            ))}
        </Group>
      </Stack>
      <Group gap="xs">
        <ShareLab lab={lab} />
        <LabActions lab={lab} />
      </Group>
    </Group>
  );
}
