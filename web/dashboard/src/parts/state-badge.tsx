import { Badge } from '@mantine/core';
import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDot,
  IconCircleX,
  IconClock,
  IconDoorExit,
  IconHelpCircle,
  IconLoader,
  IconPlayerStop,
  IconPlugConnectedX,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Host, JobState, LabState } from '../../../../src/client/api-types.ts';
import { stateWords, type DrawnState } from '../../../../src/labs/picture/words.ts';

type State = JobState | LabState | 'stopped' | DrawnState | Host['state'];

/** Each state has a colour, a shape and a word, so that no state depends on one of them alone. */
export const stateLooks: Readonly<Record<State, { readonly color: string; readonly Icon: TablerIcon }>> = {
  queued: { color: 'gray', Icon: IconClock },
  running: { color: 'blue', Icon: IconLoader },
  canceling: { color: 'orange', Icon: IconPlayerStop },
  success: { color: 'green', Icon: IconCircleCheck },
  failed: { color: 'red', Icon: IconCircleX },
  canceled: { color: 'gray', Icon: IconBan },
  starting: { color: 'blue', Icon: IconLoader },
  started: { color: 'green', Icon: IconCircleDot },
  stopping: { color: 'orange', Icon: IconPlayerStop },
  stopped: { color: 'gray', Icon: IconPlayerStop },
  missing: { color: 'red', Icon: IconAlertTriangle },
  other: { color: 'gray', Icon: IconHelpCircle },
  up: { color: 'green', Icon: IconCircleDot },
  late: { color: 'orange', Icon: IconClock },
  down: { color: 'red', Icon: IconCircleX },
  draining: { color: 'orange', Icon: IconDoorExit },
  away: { color: 'red', Icon: IconPlugConnectedX },
  unknown: { color: 'gray', Icon: IconHelpCircle },
};

export function StateBadge({ state }: { readonly state: State }) {
  const { color, Icon } = stateLooks[state];
  return (
    <Badge
      color={color}
      // A cell of a table would shrink it otherwise.
      miw="max-content"
      // Coloured text on a tint of the same colour is hard to read; the icon has the colour.
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
      leftSection={<Icon size={14} aria-hidden />}
    >
      {state === 'late' ? stateWords.late : state}
    </Badge>
  );
}
