import { Button, Table, Text } from '@mantine/core';
import type { TopologyLink } from '../../../../../../src/client/api-types.ts';
import type { EndRate, Flow } from '../../../../../../src/client/link-rates.ts';
import { Dialog } from '../../../parts/dialog.tsx';
import { linkTitle } from '../../../parts/lab-title.ts';
import { sizeText } from '../../../parts/size-text.ts';
import type { Traffic } from './use-traffic.ts';

function FlowCell({ flow: { bytes, packets } }: { readonly flow: Flow }) {
  return (
    <Table.Td style={{ whiteSpace: 'nowrap' }}>
      {sizeText(bytes)}/s
      <Text size="xs" c="dimmed">
        {packets.toFixed(packets < 10 ? 1 : 0)} packets/s
      </Text>
    </Table.Td>
  );
}

function LossCell({ rate: { rx, tx } }: { readonly rate: EndRate }) {
  const [errors, drops] = [rx.errors + tx.errors, rx.drops + tx.drops];
  if (errors + drops === 0) return <Table.Td>none</Table.Td>;
  return (
    <Table.Td c="red" fw={700}>
      {errors > 0 && <div>{errors} errors</div>}
      {drops > 0 && <div>{drops} drops</div>}
    </Table.Td>
  );
}

interface TrafficTableProps {
  readonly link: TopologyLink;
  readonly traffic: Traffic;
}

/** The traffic at each end of a link, when the user wants to see it. */
export function TrafficTable({ link, traffic }: TrafficTableProps) {
  const { isOn, toggle, rates, unread, problem } = traffic;
  if (!isOn)
    return (
      <Button size="xs" variant="default" style={{ alignSelf: 'start' }} onClick={toggle}>
        Show the traffic
      </Button>
    );
  if (problem !== undefined && rates === undefined) return <Text size="sm">Traffic: {problem}</Text>;
  const known = rates?.get(link.id) ?? [];
  return (
    <Table className="numbers" fz="sm" aria-label="Traffic" verticalSpacing={4} horizontalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          {['End', 'In', 'Out', 'Lost'].map((head) => (
            <Table.Th key={head}>{head}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {link.endpoints.map(({ node, interface: name }) => {
          const rate = known.find((end) => end.node === node && end.interface === name);
          const why = unread.find(
            (one) => one.node === node && (one.interface === null || one.interface === name),
          );
          return (
            <Table.Tr key={`${node} ${name}`}>
              <Table.Th scope="row" style={{ overflowWrap: 'anywhere' }}>
                {node} {name}
              </Table.Th>
              {rate ? (
                <>
                  <FlowCell flow={rate.rx} />
                  <FlowCell flow={rate.tx} />
                  <LossCell rate={rate} />
                </>
              ) : (
                <Table.Td colSpan={3}>{why?.reason ?? 'not measured'}</Table.Td>
              )}
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}

/** The traffic of a link, for users who may not break it. */
export function TrafficDialog({ onClose, ...props }: TrafficTableProps & { readonly onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title={linkTitle(props.link)} centered>
      <TrafficTable {...props} />
    </Dialog>
  );
}
