import { Table } from '@mantine/core';

/** The head of a table; the columns in `numbers` are aligned to the right. */
export function Columns({ names, numbers = [] }: { names: readonly string[]; numbers?: readonly string[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {names.map((name) => (
          <Table.Th key={name} {...(numbers.includes(name) && { ta: 'right' as const })}>
            {name}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}
