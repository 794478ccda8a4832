/**
 * Tells the status of the engine's labs without a run of the engine: a process of Node for each lab takes 0.2 s of a processor.
 * Reads what `lab status` reads, with the limits for files that the user of jobs can write.
 */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  documentText,
  isLabEntry,
  isTexts,
  longDocument,
  nodeStatuses,
  otherDocuments,
  shortDocument,
  type LabEntries,
  type LabEntry,
  type NodeFacts,
} from '../../../engine/core/lab-status.ts';
import { isInstance, isNodeName, nodeNamespace } from '../../../engine/core/namespace-names.ts';
import { isNamespace, namespaceFile, nsfsMagic } from '../../../engine/system/namespace-files.ts';
import { argumentsInNode } from '../../../engine/system/node-command.ts';
import { privileges } from '../../../engine/system/privileges.ts';
import { systemCode } from '../../../lib/app-error.ts';
import { mapBounded } from '../../../lib/async/map-bounded.ts';
import { oncePerTurn } from '../../../lib/async/once-per-turn.ts';
import { StampedCache } from '../../../lib/cache/stamped-cache.ts';
import { stampOf } from '../../../lib/files/file-stamp.ts';
import { readPlainBytes } from '../../../lib/files/plain-file.ts';
import { isMapping } from '../../../lib/mapping.ts';
import { isAlive } from '../../../lib/processes/processes.ts';
import { parseJson, readForeign, shortBytes, type Form } from '../../system/foreign-file.ts';
import { nothingRan, type RunResult } from '../../system/run.ts';
import type { Environment } from '../lab-driver.ts';
import { labHome } from '../lab-home.ts';
import type { Asker } from '../status-driver.ts';

/** The directory with the state of all labs of a user. */
export function engineHome(env: Environment): string {
  return labHome(env) ?? path.join(env['HOME'] || os.homedir(), '.lab');
}

/** As many as the record of netlab may have. */
const labsMax = 1_000;

/** @throws Error for any text that the engine has not written. */
function labsOf(bytes: Buffer): readonly (readonly [string, LabEntry])[] {
  const document = parseJson(bytes);
  const entries = isMapping(document) ? Object.entries(document) : [['', null] as const];
  if (entries.length > labsMax) throw new Error(`it has more than ${labsMax} labs`);
  return entries.map(([id, entry]) => {
    if (!isInstance(id) || !isLabEntry(entry)) throw new Error('it is no list of labs');
    return [id, entry];
  });
}

/** @throws Error as `labsOf`. */
function nodesOf(bytes: Buffer): readonly NodeFacts[] {
  const nodes = parseJson(bytes);
  if (!Array.isArray(nodes)) throw new Error('it is no list of nodes');
  return nodes.map((node: unknown): NodeFacts => {
    const { name, device, namespace, addresses } = isMapping(node) ? node : {};
    const texts = [name, device, namespace];
    if (!isTexts(texts) || !isTexts(addresses)) throw new Error('it is no list of nodes');
    const [nameText = '', deviceText = '', namespaceText = ''] = texts;
    return { name: nameText, device: deviceText, namespace: namespaceText, addresses };
  });
}

export const engineLabsForm: Form<ReturnType<typeof labsOf>> = {
  name: 'status.json',
  // With 199 labs it has some 120 KB.
  maxBytes: 4 * 1024 * 1024,
  besideBytes: shortBytes,
  read: labsOf,
};

export const engineNodesForm: Form<ReturnType<typeof nodesOf>> = {
  name: 'labs/ID.json',
  // A node takes some 130 bytes.
  maxBytes: 1024 * 1024,
  besideBytes: shortBytes,
  read: nodesOf,
};

/** By file. The user of jobs can write a thousand long files, so only short lists of nodes are kept. */
const keptNodesMax = 500;
const looksAtOnce = 8;
const ownRunDir = '/run';
const labs = new StampedCache<LabEntries>(16);
const nodes = new StampedCache<readonly NodeFacts[]>(labsMax);

async function labsIn(home: string): Promise<LabEntries> {
  const file = path.join(home, 'status.json');
  return labs.get(file, stampOf(file).stamp, async () => {
    try {
      return new Map(await readForeign(file, engineLabsForm));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return new Map();
      throw error;
    }
  });
}

/** None if the file is missing or damaged, as for `lab status`. */
export async function nodesIn(home: string, instance: string): Promise<readonly NodeFacts[]> {
  const file = path.join(home, 'labs', `${instance}.json`);
  const found = await nodes.get(file, stampOf(file).stamp, async () =>
    readForeign(file, engineNodesForm).catch(() => []),
  );
  if (found.length > keptNodesMax) nodes.forget(file);
  return found;
}

/** As the engine sees it that the service would start. Four system calls, for each of 200 questions. */
const isPrivileged = oncePerTurn(() => privileges(ownRunDir).isEnough);

/** The process that keeps the namespaces of a user without privileges (src/engine/namespaces/holder.ts). */
export async function holderOf(home: string): Promise<number | undefined> {
  const file = path.join(home, 'holder.json');
  // A list of 200 labs asks 200 times, and to open a file takes longer.
  if (!existsSync(file)) return undefined;
  const reading = await readPlainBytes(file, { maxBytes: shortBytes, followsLinks: false });
  if (reading.kind === 'absent') return undefined;
  if (reading.kind !== 'found') throw reading.error;
  const { pid, startTicks, bootId } = parseJson(reading.bytes) as Readonly<Record<string, unknown>>;
  if (!Number.isSafeInteger(pid) || !Number.isSafeInteger(startTicks) || typeof bootId !== 'string')
    throw new Error('it is no identity of a process');
  const identity = { pid: Number(pid), startTicks: Number(startTicks), bootId };
  return isAlive(identity) ? identity.pid : undefined;
}

/** Where the names of the namespaces of that user's labs are; undefined when none of them exists. */
export async function runDirectory(home: string, { isOtherUser }: Asker): Promise<string | undefined> {
  const holder = await holderOf(home);
  if (isOtherUser || !isPrivileged()) return holder === undefined ? undefined : `/proc/${holder}/root/run`;
  // The engine refuses labs that were started without privileges, and says so.
  if (holder !== undefined) throw new Error('the labs are those of another user');
  return ownRunDir;
}

/**
 * The arguments of `nsenter` that run a command in a node, as `lab connect` does; undefined where the engine has to find the way.
 * `lab connect` itself would stay as a process of Node beside each command.
 */
export function argumentsInNodeOf(lab: string, node: string): readonly string[] | undefined {
  if (!isInstance(lab) || !isNodeName(node) || !isPrivileged()) return undefined;
  const namespace = nodeNamespace(lab, node);
  if (!isNamespace(ownRunDir, namespace)) return undefined;
  return argumentsInNode({ runDir: ownRunDir }, lab, { node: { name: node, namespace }, command: [] });
}

/** Whether it does not lead out of the directory. */
export function isPlainName(namespace: string): boolean {
  return /^lab-[\w.-]+$/.test(namespace);
}

/** In a place of its own, the user of jobs decides what is mounted: the event loop does not wait for that. */
async function isThere(runDir: string | undefined, namespace: string): Promise<boolean> {
  if (runDir === undefined || !isPlainName(namespace)) return false;
  if (runDir === ownRunDir) return isNamespace(runDir, namespace);
  const found = await statfs(namespaceFile(runDir, namespace)).catch(() => undefined);
  return found?.type === nsfsMagic;
}

async function isAnyThere(runDir: string | undefined, facts: readonly NodeFacts[]): Promise<boolean> {
  for (const { namespace } of facts) if (await isThere(runDir, namespace)) return true;
  return false;
}

interface Question {
  /** Undefined for all labs. */
  readonly instance: string | undefined;
}

/** The question in a command line of `netlabStatus`; undefined for any other command line. */
function questionOf(args: readonly string[]): Question | undefined {
  const words = args.join(' ');
  if (words === 'status --all --format json') return { instance: undefined };
  const [, , instance = ''] = args;
  const isOne = words === `status --instance ${instance} --format json` && isInstance(instance);
  return isOne ? { instance } : undefined;
}

async function documentOf({ instance }: Question, asker: Asker): Promise<object> {
  const home = engineHome(asker.env);
  const entries = await labsIn(home);
  if (entries.size === 0) return otherDocuments.noLabs;
  const entry = instance === undefined ? undefined : entries.get(instance);
  if (instance !== undefined && entry === undefined) return otherDocuments.unknown(instance);
  if (entry !== undefined && entry.status !== 'started') return otherDocuments.notStarted;
  const runDir = await runDirectory(home, asker);
  const thereOf = async (facts: readonly NodeFacts[]): Promise<readonly boolean[]> =>
    mapBounded(facts, looksAtOnce, async ({ namespace }) => isThere(runDir, namespace));
  if (instance !== undefined && entry !== undefined) {
    const facts = await nodesIn(home, instance);
    const there = await thereOf(facts);
    const names = new Set(facts.filter((_, index) => there[index]).map(({ namespace }) => namespace));
    return longDocument(
      entry,
      nodeStatuses(facts, (namespace) => names.has(namespace)),
    );
  }
  const shown: (readonly [string, object])[] = [];
  for (const [id, one] of entries) {
    const isAny = one.status === 'started' && (await isAnyThere(runDir, await nodesIn(home, id)));
    shown.push([id, shortDocument(one, isAny)]);
  }
  return Object.fromEntries(shown);
}

/** The output of `lab status` for this command line; undefined where only the engine itself can tell. */
export async function answerOfState(args: readonly string[], asker: Asker): Promise<RunResult | undefined> {
  const question = questionOf(args);
  if (question === undefined) return undefined;
  try {
    const document = await documentOf(question, asker);
    const exitCode = document === otherDocuments.noLabs ? 1 : 0;
    return { ...nothingRan, exitCode, stdout: Buffer.from(documentText(document)) };
  } catch {
    // Its state is damaged, say: the engine has the words for that.
    return undefined;
  }
}
