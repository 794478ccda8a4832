import { Table, VisuallyHidden } from '@mantine/core';

interface Props {
  readonly names: readonly string[];
  /** The names of columns that are aligned to the right. */
  readonly numbers?: readonly string[];
  /** The names of columns that narrow windows have no room for. */
  readonly wide?: readonly string[];
  /** Whether a last column has buttons. */
  readonly hasActions?: boolean;
}

/** The head of a table. */
export function Columns({ names, numbers = [], wide = [], hasActions = false }: Props) {
  return (
    <Table.Thead>
      <Table.Tr>
        {names.map((name) => (
          <Table.Th
            key={name}
            {...(numbers.includes(name) && { ta: 'right' as const })}
            {...(wide.includes(name) && { visibleFrom: 'xs' as const })}
          >
            {name}
          </Table.Th>
        ))}
        {hasActions && (
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        )}
      </Table.Tr>
    </Table.Thead>
  );
}
