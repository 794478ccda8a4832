import { Anchor, Button, Center, Group, Table, Text, TextInput, Title } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { memo, useDeferredValue, useMemo, useState } from 'react';
import type { Fault, LabNode } from '../../../../../../src/client/api-types.ts';
import { drawnState, faultOfNode } from '../../../../../../src/labs/picture/words.ts';
import { SortHeading } from '../../../parts/sort-heading.tsx';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { Age } from '../../../parts/time.tsx';
import { FaultBadge } from '../faults/node-faults.tsx';
import { arranged, type Column, type Order } from './node-order.ts';
import classes from './tables.module.css';

/** On a narrow screen, only the drawer shows device and time. */
const columns: readonly { readonly column: Column; readonly label: string; readonly isBroad?: boolean }[] = [
  { column: 'name', label: 'Name' },
  { column: 'device', label: 'Device', isBroad: true },
  { column: 'address', label: 'Address' },
  { column: 'state', label: 'State' },
  { column: 'since', label: 'Since', isBroad: true },
];
/** The rows that are shown at first. */
const firstRows = 50;

const Row = memo(function Row({
  node: { name, device, address, state, since, ready, readyReason },
  fault,
  isOpen,
  onOpen,
}: {
  readonly node: LabNode;
  readonly fault: Fault | undefined;
  readonly isOpen: boolean;
  readonly onOpen: (name: string) => void;
}) {
  return (
    <Table.Tr className={classes['row']} data-open={isOpen || undefined} onClick={() => onOpen(name)}>
      <Table.Td>
        <Anchor
          component="button"
          type="button"
          inherit
          fw={600}
          aria-pressed={isOpen}
          onClick={(event) => {
            event.stopPropagation();
            onOpen(name);
          }}
        >
          {name}
        </Anchor>
      </Table.Td>
      <Table.Td visibleFrom="sm">{device}</Table.Td>
      <Table.Td ff="monospace" fz="sm">
        {address}
      </Table.Td>
      <Table.Td>
        <span title={ready === true ? undefined : (readyReason ?? undefined)}>
          <StateBadge state={drawnState(state, ready)} />
        </span>{' '}
        {fault && <FaultBadge fault={fault} />}
      </Table.Td>
      <Table.Td c="dimmed" visibleFrom="sm">
        {since !== null && <Age at={since} />}
      </Table.Td>
    </Table.Tr>
  );
});

interface NodesTableProps {
  readonly nodes: readonly LabNode[];
  readonly faults: readonly Fault[];
  /** The name of the node with the open drawer. */
  readonly chosen: string | undefined;
  readonly onOpen: (name: string) => void;
}

export function NodesTable({ nodes, faults, chosen, onOpen }: NodesTableProps) {
  const [order, setOrder] = useState<Order>({ column: 'name', isDescending: false });
  const [filter, setFilter] = useState('');
  const [isWhole, setWhole] = useState(false);
  const wanted = useDeferredValue(filter);
  const rows = useMemo(() => arranged(nodes, order, wanted), [nodes, order, wanted]);
  const shown = isWhole ? rows : rows.slice(0, firstRows);
  const directionOf = (column: Column) =>
    order.column === column ? (order.isDescending ? 'descending' : 'ascending') : undefined;
  return (
    <section aria-labelledby="nodes">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4" id="nodes">
          Nodes{' '}
          <Text span c="dimmed" inherit fw={400}>
            {nodes.length}
          </Text>
        </Title>
        <TextInput
          size="xs"
          w={250}
          aria-label="Filter the nodes"
          placeholder="Name, device, address or state"
          leftSection={<IconSearch size={14} aria-hidden />}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      </Group>
      <Table.ScrollContainer minWidth={280}>
        <Table verticalSpacing={6} aria-labelledby="nodes">
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ column, label, isBroad }) => (
                <SortHeading
                  key={column}
                  label={label}
                  visibleFrom={isBroad ? 'sm' : undefined}
                  direction={directionOf(column)}
                  onSort={() => setOrder({ column, isDescending: directionOf(column) === 'ascending' })}
                />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((node) => (
              <Row
                key={node.name}
                node={node}
                fault={faultOfNode(faults, node.name)}
                isOpen={node.name === chosen}
                onOpen={onOpen}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length === 0 && (
        <Text c="dimmed" size="sm" ta="center" py="md">
          {nodes.length === 0 ? 'The lab CLI lists no nodes yet.' : 'No node matches.'}
        </Text>
      )}
      {rows.length > shown.length && (
        <Center mt="xs">
          <Button variant="subtle" size="xs" onClick={() => setWhole(true)}>
            Show all {rows.length} nodes
          </Button>
        </Center>
      )}
    </section>
  );
}
