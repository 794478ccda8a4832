import { Group, Kbd, Table } from '@mantine/core';

interface Shortcut {
  readonly keys: readonly string[];
  readonly what: string;
}

/** Keys, and what they do. */
export function KeyTable({ shortcuts }: { readonly shortcuts: readonly Shortcut[] }) {
  return (
    <Table verticalSpacing={6} horizontalSpacing={0} withRowBorders={false} aria-label="Keyboard shortcuts">
      <Table.Tbody>
        {shortcuts.map(({ keys, what }) => (
          <Table.Tr key={what}>
            <Table.Th scope="row" w={110}>
              <Group gap={4} wrap="nowrap">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </Group>
            </Table.Th>
            <Table.Td>{what}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
