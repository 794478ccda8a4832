import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Lab, LabTopology } from '../../../../../../../src/client/api-types.ts';
import { faultOfNode } from '../../../../../../../src/labs/picture/words.ts';
import { useService } from '../../../../api/queries.ts';
import { CommandLine } from '../../../../parts/command-line.tsx';
import { Empty } from '../../../../parts/empty.tsx';
import { sshLine } from '../../../../parts/shell-words.ts';
import { Age } from '../../../../parts/time.tsx';
import { useReach } from '../../../../parts/use-reach.ts';
import { brokenWords } from '../../faults/fault-dialog.tsx';
import { Interfaces } from './interfaces.tsx';
import styles from '../node.module.css';

type Fact = readonly [name: string, value: ReactNode];

const isTold = ([, value]: Fact): boolean =>
  value !== null && value !== undefined && value !== '' && value !== false;

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.filter(isTold).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The way to a shell in the node, where the SSH gateway of this server has it and the user may enter it. */
function useSsh({ id, host, may }: Lab, node: string) {
  const reach = useReach();
  const { ssh, host: ownHost } = useService().data ?? {};
  // A gateway has the labs of its own host.
  if (!ssh || host !== ownHost || !may.includes('openNodeSsh')) return undefined;
  const user = `${node}.${host === null ? id : id.replace(/@[^@]*$/, '')}`;
  return { command: sshLine(reach, ssh.port, user), fingerprint: ssh.fingerprint };
}

export function OverviewTab({
  lab,
  node,
  topology,
}: {
  readonly lab: Lab;
  readonly node: string;
  readonly topology: LabTopology | undefined;
}) {
  const ssh = useSsh(lab, node);
  const known = lab.nodes.find(({ name }) => name === node);
  const made = topology?.nodes.find(({ name }) => name === node);
  if (!known && !made)
    return (
      <Empty title={`Node ${node} not found`}>
        {lab.problem ?? 'Neither the lab nor its topology has a node of this name.'}
      </Empty>
    );
  const fault = faultOfNode(lab.faults, node);
  const facts: readonly Fact[] = [
    ['Up since', known?.since && <Age at={known.since} />],
    ['Not ready', known?.state === 'up' && known.ready === false && known.readyReason],
    ['Fault', fault && brokenWords(fault)],
    ['Device', known?.device ?? made?.device],
    ['Role', made?.role],
    ['Provider', known?.provider],
    ['Image', known?.image],
    ['Management', known?.address],
    ['Loopback', [made?.loopback?.ipv4, made?.loopback?.ipv6].filter(Boolean).join(', ')],
    ['Groups', made?.groups.join(', ')],
  ];
  return (
    <Stack gap="md">
      <Facts facts={facts} />
      {ssh !== undefined && made?.role !== 'bridge' && (
        <div>
          <CommandLine label="Over SSH, on your machine:" command={ssh.command} />
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            Host key: {ssh.fingerprint}
          </Text>
        </div>
      )}
      <div>
        <Title order={3} size="h5" mb={4}>
          Interfaces
        </Title>
        {topology ? (
          <Interfaces lab={lab} node={node} topology={topology} isUp={known?.state === 'up'} />
        ) : (
          <Text size="sm" c="dimmed">
            The topology of this lab is not available.
          </Text>
        )}
      </div>
    </Stack>
  );
}
