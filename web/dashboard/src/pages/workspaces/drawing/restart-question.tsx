import { List, Stack, Text } from '@mantine/core';
import type { Lab } from '../../../../../../src/client/api-types.ts';
import { useLabTopology } from '../../../api/queries.ts';
import type { Drawing } from '../../../parts/drawing/drawing.ts';
import { labText } from '../../../parts/lab-title.ts';
import { Question } from '../../../parts/question.tsx';
import { sharesText } from '../../../parts/shares-text.ts';
import { labChanges } from './lab-changes.ts';

interface Props {
  readonly lab: Lab;
  readonly drawing: Drawing;
  readonly mistakes: number;
  readonly onClose: () => void;
  readonly onYes: () => void;
}

function Changes({ lab, drawing }: Pick<Props, 'lab' | 'drawing'>) {
  const { data, error } = useLabTopology(lab.id);
  if (error) return <Text size="sm">The changes are unknown: {error.message}</Text>;
  if (data === undefined) return <Text size="sm">Comparing…</Text>;
  const changes = labChanges(data, drawing);
  if (changes.length === 0)
    return <Text size="sm">The lab has the same nodes and links as the drawing. Attributes may differ.</Text>;
  return (
    <List size="sm" spacing={4}>
      {changes.map(({ title, names }) => (
        <List.Item key={title} style={{ overflowWrap: 'anywhere' }}>
          <b>{title}:</b> {names.join(', ')}
        </List.Item>
      ))}
    </List>
  );
}

/** Shows the changes before a running lab is replaced. */
export function RestartQuestion({ lab, drawing, mistakes, onClose, onYes }: Props) {
  const shared = sharesText(lab);
  return (
    <Question
      title={`Restart ${labText(lab)} from this drawing?`}
      yes="Restart the lab"
      isDangerous
      focus="no"
      size="lg"
      onClose={onClose}
      onYes={onYes}
    >
      <Stack gap="sm">
        <Changes lab={lab} drawing={drawing} />
        {mistakes > 0 && (
          <Text size="sm" c="var(--mantine-color-red-text)">
            The file has {mistakes === 1 ? 'a mistake' : `${mistakes} mistakes`}. The lab is stopped first,
            and may not start again.
          </Text>
        )}
        <Text size="sm">
          The lab is stopped and started again: the state of its nodes is lost, unless it was saved. If this
          server has no room for the new lab, such as in a quota, nothing is stopped.
        </Text>
        {shared !== undefined && (
          <Text size="sm">
            The lab is {shared}. The new lab will not be shared: share it again once it runs.
          </Text>
        )}
      </Stack>
    </Question>
  );
}
