import { Group, Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';

interface Props {
  readonly label: string;
  /** Undefined for a column that the table is not sorted by. */
  readonly direction: 'ascending' | 'descending' | undefined;
  readonly onSort: () => void;
  /** The narrowest window that shows the column; all do by default. */
  readonly visibleFrom?: 'sm' | 'lg' | undefined;
}

/** The head of a column that a click sorts by. */
export function SortHeading({ label, direction, onSort, visibleFrom }: Props) {
  const Icon = direction === 'descending' ? IconArrowDown : IconArrowUp;
  return (
    <Table.Th aria-sort={direction ?? 'none'} {...(visibleFrom && { visibleFrom })}>
      <UnstyledButton fz="sm" fw={600} onClick={onSort}>
        <Group gap={4} wrap="nowrap">
          {label}
          <Icon size={14} aria-hidden visibility={direction ? 'visible' : 'hidden'} />
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
}
