/** The nodes of a lab as other programs reach them over SSH, through the gateway of the service. */
import { AppError } from '../../lib/app-error.ts';
import { harmlessText } from '../../lib/text/harmless-text.ts';
import type { LabTopology } from '../drivers/topology.ts';
import type { ListedNode } from '../status/lab-list.ts';

export interface InventoryNode {
  readonly name: string;
  /** The device type, or the kind of containerlab. */
  readonly device: string | null;
  /** `router`, `host`, or another word of the lab CLI. */
  readonly role: string | null;
  /** Of the topology. */
  readonly groups: readonly string[];
  /** The name at the gateway: `NODE.LAB`. */
  readonly user: string;
}

/** Where the gateway listens. */
export interface GatewayAddress {
  readonly host: string;
  readonly port: number;
}

/** The key by which clients know the gateway. */
interface HostKey {
  /** `ssh-ed25519 AAAA…`. */
  readonly publicLine: string;
  /** `SHA256:…`. */
  readonly fingerprint: string;
}

export interface Inventory {
  readonly lab: string;
  readonly hostKey: HostKey;
  readonly nodes: readonly InventoryNode[];
  /** Names that have more in them than letters, digits, `_` and `-`, as JSON. */
  readonly leftOut: readonly string[];
}

/**
 * Names are patterns to Ansible and ssh(1), and words of a shell in a ProxyCommand; Ansible also computes what stands in braces.
 * No lab CLI allows others than these.
 */
const plainName = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** In `NODE.LAB`, the first dot ends the name of the node. */
const isPlain = ({ name }: Pick<ListedNode, 'name'>): boolean => plainName.test(name) && !name.includes('.');

interface Described extends Pick<Inventory, 'lab' | 'hostKey'> {
  readonly nodes: readonly Pick<ListedNode, 'name' | 'device'>[];
  /** Undefined for a lab whose topology cannot be read. */
  readonly topology: LabTopology | undefined;
}

/** Bridges are left out, because no program runs in them. @throws AppError `not-supported` for the name of the lab. */
export function inventoryOf({ lab, hostKey, nodes, topology }: Described): Inventory {
  if (!plainName.test(lab))
    throw new AppError(
      'not-supported',
      `an inventory cannot have the name of the lab ${JSON.stringify(lab)}: it may have letters, digits, ".", "_" and "-"`,
    );
  const computed = new Map(topology?.nodes.map((node) => [node.name, node]));
  const withShell = nodes.filter(({ name }) => computed.get(name)?.role !== 'bridge');
  return {
    lab,
    hostKey,
    nodes: withShell.filter(isPlain).map(({ name, device }) => {
      const { role = null, groups = [] } = computed.get(name) ?? {};
      return { name, device, role, groups, user: `${name}.${lab}` };
    }),
    leftOut: withShell.filter((node) => !isPlain(node)).map(({ name }) => JSON.stringify(name)),
  };
}

/** Comments at the beginning of a file, in YAML and for ssh(1). `lab ssh` reads the line of the key. */
export function commentsOf({ lab, hostKey, leftOut }: Inventory, ...more: readonly string[]): string {
  const missing = leftOut.length === 0 ? [] : [`Left out, because of their names: ${leftOut.join(', ')}`];
  const key = [`Host key: ${hostKey.publicLine}`, `Fingerprint: ${hostKey.fingerprint}`];
  const lines = [`The nodes of the lab ${lab}, over SSH.`, ...key, ...more, ...missing];
  return lines.map((line) => `# ${harmlessText(line)}\n`).join('');
}
