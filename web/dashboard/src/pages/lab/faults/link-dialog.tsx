import { Anchor, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Lab, LinkFaultRequest, TopologyLink } from '../../../../../../src/client/api-types.ts';
import { isolatedAmong } from '../../../../../../src/labs/picture/words.ts';
import { useMay } from '../../../api/queries.ts';
import { client, labPath } from '../../../api/service.ts';
import { linkTitle } from '../../../parts/lab-title.ts';
import {
  ImpairmentFields,
  isNothing,
  wantedOf,
  type WantedImpairment,
} from '../node/overview/impairment-fields.tsx';
import { TrafficTable } from '../picture/traffic-table.tsx';
import type { Traffic } from '../picture/use-traffic.ts';
import { brokenWords, FaultDialog, type FaultChoice } from './fault-dialog.tsx';

/** Leads to a capture at each end of a link. */
function Captures({ lab, endpoints }: { readonly lab: string } & Pick<TopologyLink, 'endpoints'>) {
  return (
    <Group gap="xs">
      <Text size="sm">Capture at</Text>
      {endpoints.map(({ node, interface: name }) => {
        const at = new URLSearchParams({ node, tab: 'capture', interface: name });
        return (
          <Anchor
            key={`${node} ${name}`}
            component={Link}
            size="sm"
            href={`${labPath(lab)}?${at.toString()}`}
          >
            {node} {name}
          </Anchor>
        );
      })}
    </Group>
  );
}

/** Breaks a link, or heals it. */
export function LinkDialog({
  lab,
  link,
  traffic,
  onClose,
}: {
  readonly lab: Lab;
  readonly link: TopologyLink;
  readonly traffic: Traffic;
  readonly onClose: () => void;
}) {
  const { id, endpoints } = link;
  /** Undefined until the user asks for its fields. */
  const [impairment, setImpairment] = useState<WantedImpairment>();
  const faults = client.faults(lab.id);
  const fault = lab.faults.find((one) => one.link === id);
  const isolated = isolatedAmong(
    lab.faults,
    endpoints.map(({ node }) => node),
  );
  const may = useMay(lab);
  const healNodes = isolated.map(({ node }): FaultChoice => ({
    label: `Heal ${node}`,
    set: async () => faults.healNode(node ?? ''),
  }));
  const choice = (label: string, wanted: LinkFaultRequest): FaultChoice => ({
    label,
    // Another impairment can be set.
    isSet: wanted.kind !== 'impaired' && wanted.kind === fault?.kind,
    set: async (time) => faults.breakLink(id, { ...wanted, ...time }),
  });
  const impair = impairment
    ? { ...choice('Impair', { kind: 'impaired', impairment }), isDisabled: isNothing(impairment) }
    : { label: 'Impair…', onAsk: () => setImpairment(wantedOf(fault?.impairment)) };
  return (
    <FaultDialog
      lab={lab}
      title={linkTitle(link)}
      about="Cut it, and routing daemons see it at once. Silence it, and its interfaces stay up but lose every frame. Impair it, and frames are late or lost."
      fault={fault}
      choices={[
        ...(may('removeNodeFault') ? healNodes : []),
        impair,
        choice('Silence', { kind: 'silent' }),
        { ...choice('Cut', { kind: 'down' }), isDangerous: true },
      ]}
      heal={async () => faults.healLink(id)}
      onClose={onClose}
    >
      {isolated.map((one) => (
        <Text key={one.node} size="sm">
          {`Its node ${one.node} is broken on purpose: ${brokenWords(one)}. The link stays down until the node is healed.`}
        </Text>
      ))}
      {may('captureInNode') && <Captures lab={lab.id} endpoints={endpoints} />}
      <TrafficTable link={link} traffic={traffic} />
      {impairment && <ImpairmentFields hasFocus wanted={impairment} onChange={setImpairment} />}
    </FaultDialog>
  );
}
