import { Anchor, Button, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Lab, LabTopology, TopologyInterface } from '../../../../../../../src/client/api-types.ts';
import { ServiceError } from '../../../../../../../src/client/service-error.ts';
import { useMay } from '../../../../api/queries.ts';
import { client } from '../../../../api/service.ts';
import { useNodeAddress } from '../node-address.ts';
import { ImpairmentDialog, impairmentKey, type Place } from './impairment-dialog.tsx';
import { impairmentText, neighboursOf } from './interface-facts.ts';

function Addresses({ ipv4, ipv6 }: { readonly ipv4: string | null; readonly ipv6: string | null }) {
  return [ipv4, ipv6].map(
    (address) =>
      address !== null && (
        <Text key={address} size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {address}
        </Text>
      ),
  );
}

function ImpairmentCell({ lab, place }: { readonly lab: Lab; readonly place: Place }) {
  const [isOpen, setOpen] = useState(false);
  const may = useMay(lab);
  const { data, error } = useQuery({
    queryKey: impairmentKey(place),
    queryFn: async () => client.node(place.lab, place.node).impairment(place.interfaceName),
  });
  const words = data ? impairmentText(data) : error ? 'unknown' : '…';
  const why = error instanceof ServiceError ? error.message : undefined;
  return (
    <Stack gap={2} align="start">
      <Text size="sm" title={why} {...(data?.isImpaired === true && { c: 'orange', fw: 600 })}>
        {words}
      </Text>
      {may('putImpairment') && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Impair ${place.interfaceName}`}
          onClick={() => setOpen(true)}
        >
          {data?.isImpaired === true ? 'Change' : 'Impair'}
        </Button>
      )}
      {isOpen && <ImpairmentDialog place={place} known={data} onClose={() => setOpen(false)} />}
    </Stack>
  );
}

interface Props {
  readonly lab: Lab;
  readonly node: string;
  readonly topology: LabTopology;
  /** Whether the node can be queried. */
  readonly isUp: boolean;
}

function InterfaceRow({ of, lab, node, topology, isUp }: Props & { readonly of: TopologyInterface }) {
  const address = useNodeAddress(lab.id);
  return (
    <Table.Tr>
      <Table.Th scope="row" style={{ verticalAlign: 'top' }}>
        {of.name}
        <Addresses ipv4={of.ipv4} ipv6={of.ipv6} />
      </Table.Th>
      <Table.Td style={{ verticalAlign: 'top' }}>
        <Stack gap={4}>
          {neighboursOf(topology, node, of).map((end) => (
            <div key={`${end.node} ${end.interface}`}>
              <Anchor component={Link} href={address(end.node, 'overview')} size="sm" underline="always">
                {end.node}
              </Anchor>{' '}
              <Text span size="sm">
                {end.interface}
              </Text>
              <Addresses ipv4={end.ipv4} ipv6={end.ipv6} />
            </div>
          ))}
        </Stack>
      </Table.Td>
      {isUp && (
        <Table.Td style={{ verticalAlign: 'top' }}>
          <ImpairmentCell lab={lab} place={{ lab: lab.id, node, interfaceName: of.name }} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

/** The interfaces of a node, with their neighbours and impairments. */
export function Interfaces(props: Props) {
  const interfaces = props.topology.nodes.find(({ name }) => name === props.node)?.interfaces ?? [];
  if (interfaces.length === 0)
    return (
      <Text size="sm" c="dimmed">
        The topology has no interfaces of this node.
      </Text>
    );
  return (
    <Table aria-label="Interfaces" horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Interface</Table.Th>
          <Table.Th>Neighbour</Table.Th>
          {props.isUp && <Table.Th>Impairment</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {interfaces.map((of) => (
          <InterfaceRow key={of.name} of={of} {...props} />
        ))}
      </Table.Tbody>
    </Table>
  );
}
