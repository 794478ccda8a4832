/** Removes everything of a lab instance from the kernel: a whole lab, a part of a lab, or nothing. */
import { systemCode } from '../../lib/app-error.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { switchNamespace } from '../core/namespace-names.ts';
import { claimedNames, disclaim, dropClaim, dropHalfClaim, readClaim } from '../state/claim.ts';
import { endProcesses } from '../system/end-processes.ts';
import { claimDirectory, namespaceNames } from '../system/namespace-files.ts';
import { runProgram } from '../system/run-program.ts';
import { phaseOfDown } from './phases.ts';
import { runBatch } from './run-phase.ts';

export interface TornDown {
  /** The number of nodes whose namespace was deleted. */
  readonly nodes: number;
  readonly processes: number;
  /** One sentence for each thing that could not be removed; empty when nothing of the instance is left. */
  readonly problems: readonly string[];
}

/** The namespaces that `teardown` would delete. */
export async function namespacesToDelete(context: EngineContext, instance: string): Promise<string[]> {
  const claim = context.seesKernel ? await readClaim(context, instance) : undefined;
  return claim === undefined ? [] : claimedNames(context.runDir, instance, claim);
}

async function deleteNamespaces(names: readonly string[], directory: string, lockFd: number): Promise<void> {
  try {
    await runBatch(phaseOfDown(names), { directory, lockFd }, true);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    // The disk has no space for the batch file. One program for each name is slow, but writes no file.
    for (const name of names) await runProgram('ip', ['netns', 'del', name], { lockFd });
  }
}

/**
 * Ends the processes inside the instance's namespaces, deletes the namespaces (except those in `foreign`) and removes
 * the claim. The caller has the lock of the instance, `lockFd`. The names can be used again at once; the kernel frees
 * the contents of the namespaces a little later. Works on a full disk.
 */
export async function teardown(
  context: EngineContext,
  instance: string,
  lockFd: number,
  foreign: readonly string[] = [],
): Promise<TornDown> {
  const { runDir } = context;
  const names = (await namespacesToDelete(context, instance)).filter((name) => !foreign.includes(name));
  if (names.length === 0) {
    if (context.seesKernel) await dropEmptyClaim(context, instance);
    return { nodes: 0, processes: 0, problems: [] };
  }
  const { ended, left: survivors } = await endProcesses(runDir, names);
  await deleteNamespaces(names, claimDirectory(runDir, instance), lockFd);
  const remaining = namespaceNames(runDir);
  const left = names.filter((name) => remaining.has(name));
  if (left.length === 0) await dropClaim(context, instance);
  else await disclaim(context, instance, foreign);
  const problems = [
    ...survivors.map((pid) => `process ${pid} inside the lab did not end`),
    ...left.map((name) => `namespace ${name} could not be deleted`),
  ];
  const nodes = names.filter((name) => !remaining.has(name) && name !== switchNamespace(instance)).length;
  return { nodes, processes: ended, problems };
}

async function dropEmptyClaim(context: EngineContext, instance: string): Promise<void> {
  const isOurs = (await readClaim(context, instance)) !== undefined;
  await (isOurs ? dropClaim : dropHalfClaim)(context, instance);
}

/**
 * The names in our claim that belong to foreign namespaces, after an `up` failed with `details`. Another program may
 * have made a namespace of such a name between our check and our `ip netns add`. That namespace is foreign, and so
 * are all existing namespaces with the names after it, because `ip -batch` stopped there.
 */
export async function foreignNames(
  context: EngineContext,
  instance: string,
  details: readonly string[],
): Promise<readonly string[]> {
  const met = /^Cannot create namespace file ".*\/([^/"]+)": File exists$/;
  const first = details.map((line) => met.exec(line)?.[1]).find((name) => name !== undefined);
  const names = (await readClaim(context, instance))?.names ?? [];
  return first === undefined ? [] : names.slice(Math.max(names.indexOf(first), 0));
}
