/** `lab status`: the formats of netlab (netsim/cli/status.py), with the current state of the kernel. */
import Table from 'cli-table3';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { labInDirectory, type RegisteredLab } from '../state/choose-lab.ts';
import { readRegistry, type LabEntries, type LabEntry } from '../state/lab-registry.ts';
import { readNodeRecords, type NodeRecord } from '../state/node-records.ts';
import { isNamespace } from '../system/namespace-files.ts';

interface NodeStatus {
  readonly device: string;
  readonly mgmt: string;
  readonly connection: string;
  readonly provider: string;
  readonly provider_name: string;
  readonly status: string;
}

interface LabRow {
  readonly dir: string;
  readonly status: string;
  readonly providers: readonly string[];
}

function table(head: string[], rows: readonly string[][]): string {
  // No colours: the service and logs show the bytes unchanged.
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  drawn.push(...rows);
  return `${drawn.toString()}\n`;
}

function allText(labs: Readonly<Record<string, LabRow>>): string {
  const rows = Object.entries(labs).map(([id, lab]) => [id, lab.dir, lab.status, lab.providers.join(', ')]);
  return `Active lab instance(s)\n\n${table(['id', 'directory', 'status', 'providers'], rows)}`;
}

function instanceText(
  instance: string,
  lab: LabRow & { readonly topology: string; readonly nodes: Readonly<Record<string, NodeStatus>> },
): string {
  const head = ['node', 'device', 'mgmt IP', 'connection', 'provider', 'namespace', 'status'];
  const rows = Object.entries(lab.nodes).map(([name, node]) => [
    name,
    node.device,
    node.mgmt,
    node.connection,
    node.provider,
    node.provider_name,
    node.status,
  ]);
  return [
    `Lab ${instance} in ${lab.dir}`,
    `  status:      ${lab.status}`,
    `  topology:    ${lab.topology}`,
    `  provider(s): ${lab.providers.join(', ')}`,
    '',
    table(head, rows),
  ].join('\n');
}

export interface StatusOptions {
  readonly all: boolean;
  readonly instance?: string;
  readonly format: 'text' | 'json' | 'yaml';
}

interface Answer {
  readonly document: object;
  readonly text: string;
  readonly exitCode: number;
}

const noLabs = 'No netlab-managed labs';

function nodeStatus(context: EngineContext, node: NodeRecord): NodeStatus {
  const isUp = context.seesKernel && isNamespace(context.runDir, node.namespace);
  return {
    device: node.device,
    mgmt: node.addresses[0] ?? '',
    connection: 'netns',
    provider: 'netns',
    provider_name: node.namespace,
    status: isUp ? 'Up' : 'missing',
  };
}

async function nodesOf(context: EngineContext, instance: string): Promise<Record<string, NodeStatus>> {
  const nodes = await readNodeRecords(context.home, instance);
  return Object.fromEntries(nodes.map((node) => [node.name, nodeStatus(context, node)]));
}

/** The current status of a lab: a started lab is `missing` if none of its nodes exists, as after a reboot. */
function observed(entry: LabEntry, nodes: Readonly<Record<string, NodeStatus>>): string {
  if (entry.status !== 'started') return entry.status;
  return Object.values(nodes).some((node) => node.status === 'Up') ? 'started' : 'missing';
}

async function allLabs(context: EngineContext, entries: LabEntries): Promise<Answer> {
  const shown = [...entries].map(async ([instance, entry]) => {
    const { topology: _, ...rest } = entry;
    return [instance, { ...rest, status: observed(entry, await nodesOf(context, instance)) }] as const;
  });
  const labs = Object.fromEntries(await Promise.all(shown));
  return { document: labs, text: allText(labs), exitCode: 0 };
}

async function oneLab(context: EngineContext, { instance, entry }: RegisteredLab): Promise<Answer> {
  if (entry.status !== 'started') {
    const text = [
      `Lab ${instance} in ${entry.dir}: ${entry.status}`,
      ...entry.log.map((line) => `  ${line}`),
    ];
    const error = 'Lab is not started, cannot display node/tool status';
    return { document: { error }, text: `${text.join('\n')}\n`, exitCode: 0 };
  }
  const nodes = await nodesOf(context, instance);
  const document = { ...entry, status: observed(entry, nodes), nodes };
  return { document, text: instanceText(instance, document), exitCode: 0 };
}

async function answer(context: EngineContext, options: StatusOptions): Promise<Answer> {
  const entries = await readRegistry(context.home);
  if (entries.size === 0) return { document: { warning: noLabs }, text: `${noLabs}\n`, exitCode: 1 };
  const { instance } = options;
  if (options.all) return allLabs(context, entries);
  if (instance === undefined) {
    const here = labInDirectory(entries, context.cwd);
    return here === undefined ? allLabs(context, entries) : oneLab(context, here);
  }
  const entry = entries.get(instance);
  if (entry !== undefined) return oneLab(context, { instance, entry });
  const error = `Unknown lab instance ${instance}`;
  // As in netlab: the document has the error, and the exit code is 0.
  if (options.format !== 'text') return { document: { error }, text: '', exitCode: 0 };
  throw new EngineError(error, ["... Use 'lab status --all' to display the list of lab instances"]);
}

/** Prints the status; returns the exit code. */
export async function statusCommand(context: EngineContext, options: StatusOptions): Promise<number> {
  const { document, text, exitCode } = await answer(context, options);
  switch (options.format) {
    case 'text':
      context.out(text);
      break;
    case 'json':
      context.out(`${JSON.stringify(document, null, 2)}\n`);
      break;
    case 'yaml':
      // Loaded only when needed: loading takes longer than the rest of the command.
      context.out((await import('yaml')).stringify(document));
      break;
  }
  return exitCode;
}
