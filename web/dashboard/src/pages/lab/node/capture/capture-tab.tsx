import { Autocomplete, Badge, Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload, IconPlayerRecord, IconPlayerStop } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import type { LabTopology } from '../../../../../../../src/client/api-types.ts';
import { useStore } from '../../../../api/store.ts';
import { Empty } from '../../../../parts/empty.tsx';
import { ProblemNotice } from '../../../../parts/problem-notice.tsx';
import { saveFile } from '../../../../parts/save-file.ts';
import { sizeText } from '../../../../parts/size-text.ts';
import { useAddress } from '../../../../parts/use-address.ts';
import { keptOf, ofNode } from '../kept.ts';
import { CaptureCommand } from './capture-command.tsx';
import {
  CaptureSession,
  maxKeptBytes,
  type Captured,
  type CaptureFields,
  type CaptureRequest,
} from './capture-session.ts';
import { PacketTable } from './packet-table.tsx';
import styles from './capture.module.css';

interface NodeName {
  readonly lab: string;
  readonly node: string;
}

const count = (value: number | string): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined;

const requestOf = ({ interfaceName, filter, packets, seconds }: CaptureFields): CaptureRequest => ({
  interfaceName,
  filter: filter.trim() === '' ? undefined : filter.trim(),
  packets: count(packets),
  seconds: count(seconds),
});

function download({ header, kept }: Captured, name: string): void {
  if (!header) return;
  const file = new Blob([header, ...kept.map(({ record }) => record)], {
    type: 'application/vnd.tcpdump.pcap',
  });
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '');
  saveFile(file, `${name}-${time}.pcap`);
}

function CaptureResult({ captured, node }: { readonly captured: Captured; readonly node: string }) {
  const { state, packets, bytes, kept, header, interfaceName, error } = captured;
  const isRunning = state === 'running';
  return (
    <>
      {state === 'failed' && <ProblemNotice error={error} title="The capture failed" />}
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Badge color={isRunning ? 'red' : 'gray'}>
            {isRunning ? `capturing at ${interfaceName}` : `captured at ${interfaceName}`}
          </Badge>
          <Text size="sm" className="numbers" role="status">
            {packets.toLocaleString()} {packets === 1 ? 'packet' : 'packets'} · {sizeText(bytes)}
          </Text>
        </Group>
        <Button
          size="xs"
          variant="default"
          disabled={!header}
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => download(captured, `${node}-${interfaceName}`)}
        >
          Download .pcap
        </Button>
      </Group>
      {kept.length < packets && (
        <Text size="xs" c="dimmed">
          Only the newest {kept.length.toLocaleString()} packets are kept ({sizeText(maxKeptBytes)}); to get
          all of them, use the command above.
        </Text>
      )}
      {kept.length > 0 ? (
        <PacketTable captured={captured} />
      ) : (
        state !== 'failed' && (
          <Empty title={isRunning ? 'Waiting for packets' : 'No packets captured'}>
            {isRunning
              ? 'Packets appear here at once.'
              : 'No packet passed the interface, or none matched the filter.'}
          </Empty>
        )
      )}
    </>
  );
}

function CaptureForm({
  interfaces,
  isRunning,
  fields,
  onChange,
  session,
}: {
  readonly interfaces: readonly string[];
  readonly isRunning: boolean;
  readonly fields: CaptureFields;
  readonly onChange: (fields: CaptureFields) => void;
  readonly session: CaptureSession;
}) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fields.interfaceName !== '') void session.start(requestOf(fields));
  };
  return (
    <form onSubmit={submit}>
      <div className={styles['fields']}>
        <Autocomplete
          label="Interface"
          data={[...interfaces]}
          value={fields.interfaceName}
          required
          withAsterisk={false}
          onChange={(interfaceName) => onChange({ ...fields, interfaceName })}
        />
        <TextInput
          label="Filter"
          placeholder="icmp or arp"
          autoComplete="off"
          spellCheck={false}
          value={fields.filter}
          onChange={(event) => onChange({ ...fields, filter: event.currentTarget.value })}
        />
        <NumberInput
          label="Packets"
          placeholder="all"
          min={1}
          max={10_000_000}
          value={fields.packets}
          onChange={(packets) => onChange({ ...fields, packets })}
        />
        <NumberInput
          label="Seconds"
          min={1}
          max={3600}
          value={fields.seconds}
          onChange={(seconds) => onChange({ ...fields, seconds })}
        />
        {isRunning ? (
          // Two buttons instead of one that changes: a second click on "Stop" must not start a capture.
          <Button
            key="stop"
            variant="default"
            // The lab on the same page has a "Stop" button too.
            aria-label="Stop the capture"
            leftSection={<IconPlayerStop size={16} aria-hidden />}
            onClick={() => session.end()}
          >
            Stop
          </Button>
        ) : (
          <Button key="start" type="submit" leftSection={<IconPlayerRecord size={16} aria-hidden />}>
            Capture
          </Button>
        )}
      </div>
    </form>
  );
}

export function CaptureTab({
  lab,
  node,
  topology,
}: NodeName & { readonly topology: LabTopology | undefined }) {
  const [session] = useState(() => ofNode(keptOf(lab).captures, node, () => new CaptureSession(lab, node)));
  const captured = useStore(session.captured);
  const interfaces =
    topology?.nodes.find(({ name }) => name === node)?.interfaces.map(({ name }) => name) ?? [];
  const asked = useAddress().get('interface');
  const fields = useStore(session.fields) ?? {
    interfaceName:
      interfaces.find((name) => name === asked) ?? captured?.interfaceName ?? interfaces[0] ?? '',
    filter: '',
    packets: '',
    seconds: 60,
  };
  return (
    <Stack gap="sm" className={styles['tab'] ?? ''}>
      <CaptureForm
        interfaces={interfaces}
        isRunning={captured?.state === 'running'}
        fields={fields}
        onChange={(changed) => session.fields.set(changed)}
        session={session}
      />
      <CaptureCommand lab={lab} node={node} request={requestOf(fields)} />
      {captured ? (
        <CaptureResult captured={captured} node={node} />
      ) : (
        <Empty title="No capture yet">
          Packets at an interface of {node} are listed here as they arrive. The filter has the syntax of
          pcap-filter: icmp, tcp port 179, host 10.0.0.1.
        </Empty>
      )}
    </Stack>
  );
}
