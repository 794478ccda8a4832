/** The status of labs, from the state of the engine and the kernel: for `lab status`, and for the service, which reads them itself. */

const statuses = ['starting', 'started', 'stopping'] as const;

/** A lab in LAB_HOME/status.json. */
export interface LabEntry {
  readonly dir: string;
  readonly log: readonly string[];
  readonly log_line: string;
  readonly name: string;
  readonly providers: readonly string[];
  /** The state after the last command. A lab that is `starting` or `stopping` while no command runs is incomplete. */
  readonly status: (typeof statuses)[number];
  readonly timestamp: string;
  readonly topology: string;
}

/** Labs by instance. */
export type LabEntries = ReadonlyMap<string, LabEntry>;

/** The part of a node in LAB_HOME/labs/<instance>.json that the status has. */
export interface NodeFacts {
  readonly name: string;
  readonly device: string;
  readonly namespace: string;
  /** Without prefix lengths; the first is the one to reach it by. */
  readonly addresses: readonly string[];
}

interface NodeStatus {
  readonly device: string;
  readonly mgmt: string;
  readonly connection: string;
  readonly provider: string;
  readonly provider_name: string;
  readonly status: string;
}

export type NodeStatuses = Readonly<Record<string, NodeStatus>>;

/** Whether a value from a file is a list of texts. */
export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Checked without a schema library, which takes longer to load than the rest of `lab status` takes. */
export function isLabEntry(value: unknown): value is LabEntry {
  if (typeof value !== 'object' || value === null) return false;
  const entry = value as Partial<Record<keyof LabEntry, unknown>>;
  const texts = ['dir', 'log_line', 'name', 'timestamp', 'topology'] as const;
  return (
    texts.every((key) => typeof entry[key] === 'string') &&
    isTexts(entry.log) &&
    isTexts(entry.providers) &&
    statuses.some((status) => status === entry.status)
  );
}

/** `isThere`: whether the network namespace of a node exists. */
export function nodeStatuses(
  nodes: readonly NodeFacts[],
  isThere: (namespace: string) => boolean,
): NodeStatuses {
  return Object.fromEntries(
    nodes.map(({ name, device, namespace, addresses }) => [
      name,
      {
        device,
        mgmt: addresses[0] ?? '',
        connection: 'netns',
        provider: 'netns',
        provider_name: namespace,
        status: isThere(namespace) ? 'Up' : 'missing',
      },
    ]),
  );
}

/** The current status of a lab: a started lab is `missing` if none of its nodes exists, as after a reboot. */
function observed({ status }: LabEntry, isAnyThere: boolean): string {
  return status === 'started' && !isAnyThere ? 'missing' : status;
}

/** A lab in the document of all labs. `isAnyThere`: whether the namespace of any of its nodes exists. */
export function shortDocument(entry: LabEntry, isAnyThere: boolean) {
  const { topology: _, ...rest } = entry;
  return { ...rest, status: observed(entry, isAnyThere) };
}

/** The document of one lab that was started. */
export function longDocument(entry: LabEntry, nodes: NodeStatuses) {
  const isAnyThere = Object.values(nodes).some(({ status }) => status === 'Up');
  return { ...entry, status: observed(entry, isAnyThere), nodes };
}

/** The documents that stand for labs that have no nodes to show. The first comes with exit code 1. */
export const otherDocuments = {
  noLabs: { warning: 'No netlab-managed labs' },
  notStarted: { error: 'Lab is not started, cannot display node/tool status' },
  unknown: (instance: string) => ({ error: `Unknown lab instance ${instance}` }),
} as const;

export const documentText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;
