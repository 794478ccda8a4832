import { Badge } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconPlayerSkipForward,
} from '@tabler/icons-react';
import type { TestResult, TestsResult } from '../../../../src/client/api-types.ts';

const looks = {
  passed: { color: 'green', Icon: IconCircleCheck },
  failed: { color: 'red', Icon: IconCircleX },
  warning: { color: 'yellow', Icon: IconAlertTriangle },
  skipped: { color: 'gray', Icon: IconPlayerSkipForward },
  none: { color: 'gray', Icon: IconCircleDashed },
} as const;

/** The outcome of a test, as a colour, a shape and a word. */
export function Outcome({ outcome }: Pick<TestResult, 'outcome'>) {
  const { color, Icon } = looks[outcome ?? 'none'];
  return (
    <Badge
      color={color}
      variant="light"
      tt="none"
      // As in `StateBadge`: a table does not shrink it, and the icon has the colour.
      miw="max-content"
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
      leftSection={<Icon size={14} aria-hidden />}
    >
      {outcome ?? 'no result'}
    </Badge>
  );
}

/** `3 passed, 1 failed, 0 warnings`. */
export function testCounts({ passed, failed, warnings }: TestsResult): string {
  return `${passed ?? '?'} passed, ${failed} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
}
