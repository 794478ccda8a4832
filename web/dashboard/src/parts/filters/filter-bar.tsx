import { Button, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';

interface Props {
  /** The name for screen readers. */
  readonly label: string;
  /** Whether a filter is set. */
  readonly isAny: boolean;
  readonly onClear: () => void;
  readonly children: ReactNode;
}

/** The filters of a list; behind a button on narrow screens. */
export function FilterBar({ label, isAny, onClear, children }: Props) {
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(false);
  if (isNarrow && !isOpen)
    return (
      <Group gap="xs">
        <Button
          size="xs"
          variant={isAny ? 'light' : 'default'}
          leftSection={<IconFilter size={14} aria-hidden />}
          aria-expanded={false}
          onClick={() => setOpen(true)}
        >
          {isAny ? 'Filtered' : 'Filter'}
        </Button>
      </Group>
    );
  return (
    <Group gap="xs" align="end" wrap="wrap" role="search" aria-label={label}>
      {children}
      {isAny && (
        <Button size="xs" variant="subtle" onClick={onClear}>
          Show all
        </Button>
      )}
    </Group>
  );
}
