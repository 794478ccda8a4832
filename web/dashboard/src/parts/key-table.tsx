import { Group, Kbd, Table } from '@mantine/core';
import { Fragment } from 'react';
import { usePlaces } from './use-places.ts';
import type { Place } from './places.ts';

interface Shortcut {
  readonly keys: readonly string[];
  readonly what: string;
}

/** The shortcuts of one part of the page, in the order of their use. */
interface ShortcutGroup {
  readonly where: string;
  readonly shortcuts: readonly Shortcut[];
}

const shortcutGroups = (places: readonly Place[]): readonly ShortcutGroup[] => [
  {
    where: 'Anywhere',
    shortcuts: [
      { keys: ['Ctrl', 'K'], what: 'Search: pages, labs, nodes, jobs, workspaces, actions (⌘ K on a Mac)' },
      ...places.map(({ key, label }) => ({ keys: ['g', key], what: `Go to ${label}` })),
      { keys: ['?'], what: 'Show the keyboard shortcuts' },
      { keys: ['Esc'], what: 'Close the dialog above the page' },
    ],
  },
  {
    where: 'Jobs',
    shortcuts: [
      { keys: ['j'], what: 'Next job (or ↓)' },
      { keys: ['k'], what: 'Previous job (or ↑)' },
      { keys: ['Enter'], what: 'Open the job' },
    ],
  },
  {
    where: 'Log of a job',
    shortcuts: [
      { keys: ['/'], what: 'Find (or Ctrl F)' },
      { keys: ['Enter'], what: 'Next match; with Shift, the previous one' },
      { keys: ['Esc'], what: 'End the search' },
    ],
  },
  {
    where: 'Command in a node',
    shortcuts: [{ keys: ['↑', '↓'], what: 'Earlier commands' }],
  },
  {
    where: 'Drawing of a topology',
    shortcuts: [
      { keys: ['N'], what: 'Add a node; or double-click an empty place' },
      { keys: ['L'], what: 'Link the selected nodes; or drag from the handle of a node' },
      { keys: ['↑', '↓', '←', '→'], what: 'Go to the next node or link; move selected nodes' },
      { keys: ['/'], what: 'Find a node' },
      { keys: ['Enter'], what: 'Select; with Ctrl or Shift, select several' },
      { keys: ['Shift'], what: 'With a drag: select an area' },
      { keys: ['Ctrl', 'A'], what: 'Select all' },
      { keys: ['Esc'], what: 'Select nothing' },
      { keys: ['C'], what: 'Copy the selected nodes (or Ctrl C, Ctrl V)' },
      { keys: ['F2'], what: 'Rename the node' },
      { keys: ['P'], what: 'Go to the properties; Esc goes back' },
      { keys: ['Delete'], what: 'Delete the selected nodes and links' },
      { keys: ['Ctrl', 'Z'], what: 'Undo; with Shift, redo (or Ctrl Y)' },
    ],
  },
  {
    where: 'Files of a workspace',
    shortcuts: [
      { keys: ['F2'], what: 'Rename the file' },
      { keys: ['Delete'], what: 'Remove the file or directory' },
      { keys: ['←', '→'], what: 'Close and open a directory' },
      { keys: ['Ctrl', 'S'], what: 'Save, in the editor (⌘ S on a Mac)' },
      { keys: ['Ctrl', 'Space'], what: 'Show hints, in the editor' },
    ],
  },
];

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

/** A table of all keyboard shortcuts, or of those of one part of the page. */
export function KeyTable({ only }: { readonly only?: string }) {
  const places = usePlaces();
  const groups = shortcutGroups(places).filter(({ where }) => only === undefined || where === only);
  return (
    <Table verticalSpacing={6} horizontalSpacing={0} withRowBorders={false} aria-label="Keyboard shortcuts">
      <Table.Tbody>
        {groups.map(({ where, shortcuts }) => (
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
