/** What stays known about a lab that was started, whatever becomes of its directory: LAB_HOME/labs/<instance>.json. */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { EngineContext } from '../core/context.ts';
import { EngineError } from '../core/engine-error.ts';
import { makeDirectory, replaceFile } from '../system/files.ts';
import type { Addresses, Lab, LabNode, Role } from '../core/model.ts';
import { nodeNamespace } from '../core/names.ts';
import { readState, updateState, type LabEntry } from './state.ts';
import { removeTemporaries } from '../system/temporary-files.ts';

export interface NodeRecord {
  readonly name: string;
  readonly device: string;
  readonly role: Role;
  readonly namespace: string;
  /** Without prefix lengths, the one to talk to first: the loopback's, else those of the first interface. */
  readonly addresses: readonly string[];
}

function recordFile(home: string, instance: string): string {
  return path.join(home, 'labs', `${instance}.json`);
}

function plainAddresses(node: LabNode): string[] {
  const all: readonly (Addresses | null)[] = [node.loopback, ...node.interfaces];
  const found = (family: 'ipv4' | 'ipv6'): string[] =>
    all.flatMap((entry) => entry?.[family]?.split('/')[0] ?? []).slice(0, 1);
  return [...found('ipv4'), ...found('ipv6')];
}

function recordOf(lab: Lab): NodeRecord[] {
  return lab.nodes.map((node) => ({
    name: node.name,
    device: node.device,
    role: node.role,
    namespace: nodeNamespace(lab.instance, node.name),
    addresses: plainAddresses(node),
  }));
}

export async function writeRecord(home: string, lab: Lab): Promise<readonly NodeRecord[]> {
  const file = recordFile(home, lab.instance);
  const nodes = recordOf(lab);
  await makeDirectory(path.dirname(file), 0o700);
  await replaceFile(file, `${JSON.stringify(nodes)}\n`, 0o600);
  return nodes;
}

/** The nodes of the lab; none when the record is gone. */
export async function readRecord(home: string, instance: string): Promise<readonly NodeRecord[]> {
  const text = await readFile(recordFile(home, instance), 'utf8').catch(() => '[]');
  try {
    return JSON.parse(text) as NodeRecord[];
  } catch {
    return [];
  }
}

/** Forgets a lab of which nothing is left. The caller has the lock of the instance. */
export async function forgetLab(home: string, instance: string): Promise<void> {
  // First: on a full disk, this is what makes room for the new state.
  await rm(recordFile(home, instance), { force: true });
  await removeTemporaries(recordFile(home, instance));
  await updateState(home, (entries) => {
    entries.delete(instance);
  });
}

/** `/etc/hosts` for the nodes of the lab. */
export function hostsText(nodes: readonly NodeRecord[]): string {
  const lines = nodes.flatMap(({ name, addresses }) => addresses.map((address) => `${address}\t${name}`));
  return `${['127.0.0.1\tlocalhost', '::1\tlocalhost ip6-localhost', ...lines].join('\n')}\n`;
}

export interface RunningLab {
  readonly instance: string;
  readonly entry: LabEntry;
}

/** The lab that lives in this directory. */
export async function labInDirectory(home: string, directory: string): Promise<RunningLab | undefined> {
  const found = [...(await readState(home))].find(([, entry]) => entry.dir === directory);
  return found && { instance: found[0], entry: found[1] };
}

/**
 * The lab that a command is about: the instance asked for, else the lab of this directory, else the only one.
 * @throws EngineError when there is no such lab.
 */
export async function chooseLab(context: EngineContext, instance?: string): Promise<RunningLab> {
  const entries = await readState(context.home);
  if (instance !== undefined) {
    const entry = entries.get(instance);
    if (entry === undefined) throw unknownInstance(instance);
    return { instance, entry };
  }
  const here = await labInDirectory(context.home, context.cwd);
  if (here !== undefined) return here;
  const [only, ...others] = entries;
  if (only === undefined) throw new EngineError('no lab is running; start one with "lab up"');
  if (others.length > 0) {
    const names = [...entries.keys()].join(', ');
    throw new EngineError(
      `several labs are running (${names}), none of them in ${context.cwd}; say which with --instance`,
    );
  }
  return { instance: only[0], entry: only[1] };
}

export function unknownInstance(instance: string): EngineError {
  return new EngineError(`Unknown lab instance ${instance}; "lab status --all" lists those there are`);
}
