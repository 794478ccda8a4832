/** `lab status`: the formats of netlab (netsim/cli/status.py), with the current state of the kernel. */
import Table from 'cli-table3';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import {
  documentText,
  longDocument,
  nodeStatuses,
  otherDocuments,
  shortDocument,
  type LabEntries,
  type NodeStatuses,
} from '../core/lab-status.ts';
import { labInDirectory, type RegisteredLab } from '../state/choose-lab.ts';
import { readRegistry } from '../state/lab-registry.ts';
import { readNodeRecords } from '../state/node-records.ts';
import { isNamespace } from '../system/namespace-files.ts';

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
  lab: LabRow & { readonly topology: string; readonly nodes: NodeStatuses },
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

function sees({ seesKernel, runDir }: EngineContext): (namespace: string) => boolean {
  return (namespace) => seesKernel && isNamespace(runDir, namespace);
}

async function allLabs(context: EngineContext, entries: LabEntries): Promise<Answer> {
  const shown = [...entries].map(async ([instance, entry]) => {
    const nodes = await readNodeRecords(context.home, instance);
    const isAnyThere = nodes.some(({ namespace }) => sees(context)(namespace));
    return [instance, shortDocument(entry, isAnyThere)] as const;
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
    return { document: otherDocuments.notStarted, text: `${text.join('\n')}\n`, exitCode: 0 };
  }
  const nodes = await readNodeRecords(context.home, instance);
  const document = longDocument(entry, nodeStatuses(nodes, sees(context)));
  return { document, text: instanceText(instance, document), exitCode: 0 };
}

async function answer(context: EngineContext, options: StatusOptions): Promise<Answer> {
  const entries = await readRegistry(context.home);
  const { noLabs, unknown } = otherDocuments;
  if (entries.size === 0) return { document: noLabs, text: `${noLabs.warning}\n`, exitCode: 1 };
  const { instance } = options;
  if (options.all) return allLabs(context, entries);
  if (instance === undefined) {
    const here = labInDirectory(entries, context.cwd);
    return here === undefined ? allLabs(context, entries) : oneLab(context, here);
  }
  const entry = entries.get(instance);
  if (entry !== undefined) return oneLab(context, { instance, entry });
  const document = unknown(instance);
  // As in netlab: the document has the error, and the exit code is 0.
  if (options.format !== 'text') return { document, text: '', exitCode: 0 };
  throw new EngineError(document.error, ["... Use 'lab status --all' to display the list of lab instances"]);
}

/** Prints the status; returns the exit code. */
export async function statusCommand(context: EngineContext, options: StatusOptions): Promise<number> {
  const { document, text, exitCode } = await answer(context, options);
  switch (options.format) {
    case 'text':
      context.out(text);
      break;
    case 'json':
      context.out(documentText(document));
      break;
    case 'yaml':
      // Loaded only when needed: loading takes longer than the rest of the command.
      context.out((await import('yaml')).stringify(document));
      break;
  }
  return exitCode;
}
