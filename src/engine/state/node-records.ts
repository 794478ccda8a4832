/**
 * The nodes of a started lab, in LAB_HOME/labs/<instance>.json: the facts that `status`, `exec` and `collect` need,
 * even if the lab's directory changes or disappears.
 */
import path from 'node:path';
import type { Addresses, Lab, LabNode, Role } from '../core/lab.ts';
import type { NodeFacts } from '../core/lab-status.ts';
import { nodeNamespace } from '../core/namespace-names.ts';
import { makeDirectory, readOwnFile, replaceFile } from '../system/files.ts';

export interface NodeRecord extends NodeFacts {
  readonly role: Role;
}

/** The file with the records of a lab. */
export function nodeRecordsFile(home: string, instance: string): string {
  return path.join(home, 'labs', `${instance}.json`);
}

/** At most one per family: the loopback's, else the one of the first interface that has one. */
function contactAddresses(node: LabNode): string[] {
  const all: readonly (Addresses | null)[] = [node.loopback, ...node.interfaces];
  const found = (family: 'ipv4' | 'ipv6'): string[] =>
    all.flatMap((entry) => entry?.[family]?.split('/')[0] ?? []).slice(0, 1);
  return [...found('ipv4'), ...found('ipv6')];
}

function recordsOf(lab: Lab): NodeRecord[] {
  return lab.nodes.map((node) => ({
    name: node.name,
    device: node.device,
    role: node.role,
    namespace: nodeNamespace(lab.instance, node.name),
    addresses: contactAddresses(node),
  }));
}

export async function writeNodeRecords(home: string, lab: Lab): Promise<readonly NodeRecord[]> {
  const file = nodeRecordsFile(home, lab.instance);
  const nodes = recordsOf(lab);
  await makeDirectory(path.dirname(file), 0o700);
  await replaceFile(file, `${JSON.stringify(nodes)}\n`, 0o600);
  return nodes;
}

/** The nodes of the lab; empty if the file is missing or damaged. */
export async function readNodeRecords(home: string, instance: string): Promise<readonly NodeRecord[]> {
  const text = await readOwnFile(nodeRecordsFile(home, instance)).catch(() => '[]');
  try {
    return JSON.parse(text) as NodeRecord[];
  } catch {
    return [];
  }
}

/** `/etc/hosts` for the nodes of the lab. */
export function hostsText(nodes: readonly NodeRecord[]): string {
  const lines = nodes.flatMap(({ name, addresses }) => addresses.map((address) => `${address}\t${name}`));
  return `${['127.0.0.1\tlocalhost', '::1\tlocalhost ip6-localhost', ...lines].join('\n')}\n`;
}
