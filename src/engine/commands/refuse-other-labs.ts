/** Prevents `lab up` from replacing another lab. */
import path from 'node:path';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import type { Lab } from '../core/lab.ts';
import { namespacesToDelete } from '../namespaces/teardown.ts';
import type { LabEntries, LabEntry } from '../state/lab-registry.ts';
import { readNodeRecords } from '../state/node-records.ts';

/**
 * Whether the requested lab differs from the running lab: its topology comes from another file, and it has other
 * nodes. (With the same file, the user may have edited the topology to restart the lab.)
 */
async function isAnother(context: EngineContext, running: LabEntry, lab: Lab, topology: string) {
  if (path.resolve(context.cwd, running.topology) === path.resolve(context.cwd, topology)) return false;
  const nodes = await readNodeRecords(context.home, lab.instance);
  const names = (list: readonly { name: string }[]): string => list.map(({ name }) => name).join(' ');
  return names(nodes) !== names(lab.nodes);
}

/** @throws EngineError when another lab uses this directory or this instance. */
export async function refuseOtherLabs(
  context: EngineContext,
  lab: Lab,
  topology: string,
  entries: LabEntries,
) {
  const previous = entries.get(lab.instance);
  const exists = (await namespacesToDelete(context, lab.instance)).length > 0;
  if (previous !== undefined && previous.dir !== context.cwd && exists) {
    throw new EngineError(
      `the lab instance ${lab.instance} is already running in ${previous.dir}: stop it there (lab down), ` +
        'or give this lab a number of its own: --plugin multilab --set defaults.multilab.id=<number>',
    );
  }
  const isRunning = previous?.status === 'started' && exists;
  if (isRunning && (await isAnother(context, previous, lab, topology))) {
    throw new EngineError(
      `another lab is running in this directory (from ${previous.topology}): stop it first (lab down)`,
    );
  }
  const sameDirectory = [...entries].find(([id, { dir }]) => id !== lab.instance && dir === context.cwd);
  if (sameDirectory !== undefined) {
    throw new EngineError(
      `the lab instance ${sameDirectory[0]} is already running in this directory: stop it first (lab down)`,
    );
  }
}
