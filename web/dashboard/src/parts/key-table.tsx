import { Group, Kbd, Table } from '@mantine/core';
import { Fragment } from 'react';
import { shortcutGroups, type Shortcut } from './shortcuts.ts';
import { usePlaces } from './use-places.ts';

function Row({ keys, what }: Shortcut) {
  return (
    <Table.Tr>
      <Table.Th scope="row" w={110}>
        <Group gap={4} wrap="nowrap">
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </Group>
      </Table.Th>
      <Table.Td>{what}</Table.Td>
    </Table.Tr>
  );
}

/** Keys, and what they do where. */
export function KeyTable() {
  const places = usePlaces();
  return (
    <Table verticalSpacing={6} horizontalSpacing={0} withRowBorders={false} aria-label="Keyboard shortcuts">
      <Table.Tbody>
        {shortcutGroups(places).map(({ where, shortcuts }) => (
          <Fragment key={where}>
            <Table.Tr>
              <Table.Th scope="rowgroup" colSpan={2} c="dimmed" fw={500} pt="sm">
                {where}
              </Table.Th>
            </Table.Tr>
            {shortcuts.map((shortcut) => (
              <Row key={shortcut.what} {...shortcut} />
            ))}
          </Fragment>
        ))}
      </Table.Tbody>
    </Table>
  );
}
