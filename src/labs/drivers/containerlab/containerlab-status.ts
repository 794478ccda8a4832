/**
 * The labs of containerlab on this machine. It keeps no list: a lab is the containers that carry its name. A lab that netlab
 * started with containerlab has netlab's files beside its topology, and only netlab may stop it.
 */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { AppError } from '../../../lib/app-error.ts';
import { isMapping } from '../../../lib/mapping.ts';
import type { RunResult } from '../../system/run.ts';
import { isParked } from '../containers-there.ts';
import { upSince } from '../docker-status.ts';
import type {
  LabEntries,
  LabEntry,
  LabState,
  NodeStatus,
  StatusDriver,
  StatusSource,
} from '../status-driver.ts';
import { ranToItsEnd, statusFailure, unknownInstance } from '../status-failure.ts';
import { lastError } from './error-sentence.ts';
import { containersOf, directoryOf, parseDocument, type LabContainer } from './containers.ts';

const inspect = ['inspect', '--details', '--format', 'json'] as const;

/** The file that netlab writes beside the topology for containerlab (netsim/cli/up.py). */
const netlabFile = 'netlab.snapshot.pickle';
/** The name of that topology. */
const netlabTopology = 'clab.yml';

interface Lab {
  readonly containers: readonly LabContainer[];
  readonly directory: string | undefined;
  /** The file that containerlab writes near the end of each `deploy`, before the commands of a topology (`exec`) run; absolute. */
  readonly dataFile: string | undefined;
}

function dataFileOf(containers: readonly LabContainer[]): string | undefined {
  const [nodeDirectory] = containers.flatMap((one) => one.nodeDirectory ?? []);
  return nodeDirectory && path.join(path.dirname(nodeDirectory), 'topology-data.json');
}

function labOf(entry: LabEntry): Lab {
  const containers = containersOf(entry['containers']);
  return { containers, directory: directoryOf(containers), dataFile: dataFileOf(containers) };
}

/** A container without the words that change while it does not (`Up 3 seconds`): an entry that is the same is a lab that is. */
function steady(container: unknown): unknown {
  if (!isMapping(container)) return container;
  const { Status: _words, ...facts } = container;
  return facts;
}

function entriesOf(output: Buffer): LabEntries | undefined {
  const document = parseDocument(output);
  if (document === undefined) return undefined;
  return new Map(
    Object.entries(document)
      .filter((pair): pair is [string, unknown[]] => Array.isArray(pair[1]))
      .map(([name, containers]) => [name, { name, containers: containers.map(steady) }]),
  );
}

const wordsOf = ({ stdout, stderr }: RunResult): string =>
  stripVTControlCharacters(`${stdout.toString('utf8')}${stderr.toString('utf8')}`);

/** containerlab wraps its last message, and the last line alone says little. */
function failureOf(result: RunResult): AppError {
  const said = lastError(wordsOf(result));
  return statusFailure(said === undefined ? result : { ...result, stderr: Buffer.from(said) });
}

/** Runs it and returns its output. @throws AppError when it failed. */
function outputOf(result: RunResult): Buffer {
  if (!ranToItsEnd(result) || result.exitCode !== 0) throw failureOf(result);
  return result.stdout;
}

/** netlab when that has started the lab: it is netlab that has to stop it. */
export function starterOf(entry: LabEntry): string | undefined {
  const { containers, directory } = labOf(entry);
  if (directory === undefined || !existsSync(path.join(directory, netlabFile))) return undefined;
  // A user may deploy another topology beside them.
  const isOther = containers.some(
    ({ topologyFile: file }) => file !== null && path.basename(file) !== netlabTopology,
  );
  return isOther ? undefined : 'netlab';
}

/** Of a lab that is not there, containerlab says so in its own words, and ends with 1. */
async function ofInstance(id: string, ask: StatusSource['run'], args: readonly string[]): Promise<Buffer> {
  const result = await ask([...args, '--name', id]);
  if (ranToItsEnd(result) && /Lab '.*' not found/.test(wordsOf(result))) throw unknownInstance(id);
  return outputOf(result);
}

/** The time of the last `deploy`, from the file that it writes; undefined during the first one. */
function startOf(entry: LabEntry): ReturnType<StatusDriver['startOf']> {
  const { dataFile } = labOf(entry);
  if (dataFile === undefined) return undefined;
  try {
    const { mtimeMs, ino } = statSync(dataFile);
    return { mark: `${mtimeMs} ${ino}`, atMs: mtimeMs };
  } catch {
    return undefined;
  }
}

/**
 * Containers survive a reboot but do not run then, because containerlab does not restart labs. If a user has stopped all nodes
 * and may start them again, the lab still exists.
 */
function stateOf(entry: LabEntry): LabState {
  const { containers, dataFile } = labOf(entry);
  if (dataFile !== undefined && !existsSync(dataFile)) return 'starting';
  if (containers.length === 0) return 'other';
  const isThere = containers.some((one) => one.state === 'running' || isParked(one.container));
  return isThere ? 'started' : 'missing';
}

function nodeOf(container: LabContainer, printedAtMs: number): NodeStatus {
  const { node: name, kind: device, image, address, state, status, wholeNode: partOf } = container;
  return {
    name,
    device,
    provider: 'clab',
    image,
    address,
    state: state === 'running' ? 'up' : 'down',
    since: upSince(status, printedAtMs),
    container: {
      name: container.container,
      partOf,
      there: { isRunning: state === 'running', pid: container.pid },
    },
  };
}

/** The document of one lab has just that one. */
function containersIn(document: Buffer): readonly LabContainer[] {
  return Object.values(parseDocument(document) ?? {}).flatMap(containersOf);
}

export const containerlabStatus: StatusDriver = {
  allJson: async (ask) => {
    const result = await ask([...inspect, '--all']);
    const body = outputOf(result);
    const entries = entriesOf(body);
    if (entries === undefined) throw failureOf(result);
    return { body, entries };
  },
  allText: async ({ run: ask }) => outputOf(await ask(['inspect', '--all'])),
  instanceJson: async (id, { run: ask }) => ofInstance(id, ask, inspect),
  instanceText: async (id, { run: ask }) => ofInstance(id, ask, ['inspect']),
  directoryOf: (entry) => labOf(entry).directory,
  startOf,
  stateOf,
  starterOf,
  summaryOf: (entry) => ({
    name: typeof entry['name'] === 'string' ? entry['name'] : null,
    provider: 'clab',
    startedAtMs: startOf(entry)?.atMs ?? null,
  }),
  tellsOnlyNodesThere: true,
  nodesOf: (document, printedAtMs) =>
    containersIn(document).map((container) => nodeOf(container, printedAtMs)),
  nodeEntriesOf: (document) =>
    Object.fromEntries(containersIn(document).map(({ node, ...facts }) => [node, { ...facts }])),
  documentOf: (entries) => Object.fromEntries([...entries].map(([id, entry]) => [id, entry['containers']])),
};
