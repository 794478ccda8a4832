import { Button, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { ProblemTally } from './yaml-help.ts';

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** How many errors and warnings the text has, and the way to the next one. */
export function ProblemCount({ errors, warnings, onGo }: ProblemTally & { readonly onGo: () => void }) {
  const words = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ].join(', ');
  return (
    <span role="status" style={{ display: 'inline-flex', alignItems: 'center', gap: 6 }}>
      {words === '' ? (
        <>
          <IconCircleCheck size={14} color="var(--mantine-color-green-6)" aria-hidden />
          <Text span size="xs" c="dimmed">
            no problem found
          </Text>
        </>
      ) : (
        <Button
          size="compact-xs"
          variant="subtle"
          color={errors > 0 ? 'red' : 'gray'}
          leftSection={
            errors > 0 ? (
              <IconCircleX size={14} aria-hidden />
            ) : (
              <IconAlertTriangle size={14} color="var(--mantine-color-orange-6)" aria-hidden />
            )
          }
          onClick={onGo}
        >
          {words}
        </Button>
      )}
    </span>
  );
}
