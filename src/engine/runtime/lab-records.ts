/**
 * The records of container labs, beside their claims: `/run/lab-engine/clab.<lab>/lab.json` with the nodes, and
 * `nodes/<container>/` with the process of each (`pid`) and its log. They end with the claim, at the latest when the
 * machine restarts.
 */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { writeDurably } from '../../lib/files/write-durably.ts';
import { findProcess } from '../../lib/processes/processes.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { isContainerLab } from '../core/namespace-names.ts';
import { readClaim } from '../state/claim.ts';
import { claimDirectory } from '../system/namespace-files.ts';
import { readOwnFile } from '../system/files.ts';
import type { ContainerLab, ContainerNode } from './lab-file.ts';

type NodeRecord = Pick<ContainerNode, 'name' | 'container' | 'image' | 'management'>;

export interface LabRecord extends Pick<ContainerLab, 'name' | 'instance' | 'file'> {
  /** ISO 8601. */
  readonly startedAt: string;
  readonly nodes: readonly NodeRecord[];
  /** The version of FRR that its routers run; absent when it has none, or that is unknown. */
  readonly frr?: string | undefined;
}

/** Where the records of a node are. */
export function nodeDirectory(
  { runDir }: Pick<EngineContext, 'runDir'>,
  instance: string,
  container: string,
) {
  return path.join(claimDirectory(runDir, instance), 'nodes', container);
}

const recordFile = (runDir: string, instance: string): string =>
  path.join(claimDirectory(runDir, instance), 'lab.json');

export async function writeLabRecord(
  { runDir }: EngineContext,
  lab: ContainerLab,
  frr: string | undefined,
): Promise<void> {
  const { name, instance, file } = lab;
  const nodes = lab.nodes.map(({ name: node, container, image, management }) => ({
    name: node,
    container,
    image,
    management,
  }));
  const record: LabRecord = { name, instance, file, startedAt: new Date().toISOString(), nodes, frr };
  const place = recordFile(runDir, instance);
  await writeDurably(place, `${JSON.stringify(record)}\n`, 0o644, `${place}.new`);
}

/** The container labs of this user. A lab without nodes yet, or with a damaged record, is missing. */
export async function readLabRecords(context: EngineContext): Promise<readonly LabRecord[]> {
  const names = await readdir(path.join(context.runDir, 'lab-engine')).catch(() => []);
  const records: LabRecord[] = [];
  for (const instance of names.filter(isContainerLab)) {
    if ((await readClaim(context, instance)) === undefined) continue;
    try {
      records.push(JSON.parse(await readOwnFile(recordFile(context.runDir, instance))) as LabRecord);
    } catch {
      // The lab is being made or removed at this moment.
    }
  }
  return records;
}

/** The pid of the first process of a node; undefined when it does not run. */
export function processOf(context: EngineContext, instance: string, container: string): number | undefined {
  try {
    const file = path.join(nodeDirectory(context, instance, container), 'pid');
    const [pid, start] = readFileSync(file, 'utf8').trim().split(' ');
    const found = findProcess(Number(pid));
    return found !== undefined && String(found.startTicks) === start ? found.pid : undefined;
  } catch {
    return undefined;
  }
}
