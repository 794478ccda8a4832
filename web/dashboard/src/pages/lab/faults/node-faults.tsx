import { Badge, TextInput } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useState } from 'react';
import type { Fault, Lab, NodeFaultRequest } from '../../../../../../src/client/api-types.ts';
import { faultOfNode, shortFaultWords } from '../../../../../../src/labs/picture/words.ts';
import { useMay } from '../../../api/queries.ts';
import { client } from '../../../api/service.ts';
import { Tool } from '../../../parts/tool.tsx';
import { FaultDialog, type FaultChoice } from './fault-dialog.tsx';

/** A fault of a node in one or two words. */
export function FaultBadge({ fault }: { readonly fault: Fault }) {
  return (
    <Badge
      color="red"
      miw="fit-content"
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
      leftSection={<IconBolt size={14} aria-hidden />}
    >
      {shortFaultWords(fault)}
    </Badge>
  );
}

function NodeDialog({
  lab,
  node,
  onClose,
}: {
  readonly lab: Lab;
  readonly node: string;
  readonly onClose: () => void;
}) {
  const [process, setProcess] = useState('');
  const faults = client.faults(lab.id);
  const fault = faultOfNode(lab.faults, node);
  const choice = (label: string, wanted: NodeFaultRequest): FaultChoice => ({
    label,
    // Another process can be killed.
    isSet: wanted.kind !== 'killed' && wanted.kind === fault?.kind,
    set: async (time) => faults.breakNode(node, { ...wanted, ...time }),
  });
  return (
    <FaultDialog
      lab={lab}
      title={`Node ${node}`}
      about="Isolate it, and all its links are down at its end. Pause it, and its processes are stopped. Kill a process, and it comes back only if the node starts it again."
      fault={fault}
      choices={[
        { ...choice('Kill', { kind: 'killed', process }), isDisabled: process === '' },
        choice('Pause', { kind: 'paused' }),
        { ...choice('Isolate', { kind: 'isolated' }), isDangerous: true },
      ]}
      heal={async () => faults.healNode(node)}
      onClose={onClose}
    >
      <TextInput
        label="Process to kill"
        description="Its name, such as bgpd"
        value={process}
        onChange={(event) => setProcess(event.currentTarget.value.trim())}
      />
    </FaultDialog>
  );
}

/** Breaks a node or heals it, if the user may; else nothing. */
export function NodeFaults({ lab, node }: { readonly lab: Lab; readonly node: string }) {
  const [isOpen, setOpen] = useState(false);
  const may = useMay(lab);
  if (!may('putNodeFault')) return null;
  return (
    <>
      <Tool label={`Break or heal ${node}`} Icon={IconBolt} iconSize={18} onClick={() => setOpen(true)} />
      {isOpen && <NodeDialog lab={lab} node={node} onClose={() => setOpen(false)} />}
    </>
  );
}
