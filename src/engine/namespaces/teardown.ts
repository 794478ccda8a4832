/** Removes what a lab instance has in the kernel, however it came to be there: a lab, a half of one, or nothing. */
import { systemCode } from '../../lib/app-error.ts';
import { runBatch } from './build.ts';
import {
  claimDirectory,
  claimedNames,
  disclaim,
  dropClaim,
  dropHalfClaim,
  readClaim,
} from '../state/claim.ts';
import type { EngineContext } from '../core/context.ts';
import { endProcesses, listNames } from '../system/kernel.ts';
import { switchNamespace } from '../core/names.ts';
import { planDown } from './plan.ts';
import { run } from '../system/run.ts';

export interface TornDown {
  /** How many nodes had a namespace that is gone now. */
  readonly nodes: number;
  readonly processes: number;
  /** Why the instance is not gone altogether; empty when it is. */
  readonly problems: readonly string[];
}

/** The namespaces that `teardown` would delete. */
export async function namespacesToDelete(context: EngineContext, instance: string): Promise<string[]> {
  const claim = context.seesKernel ? await readClaim(context, instance) : undefined;
  return claim === undefined ? [] : claimedNames(context.runDir, instance, claim);
}

async function deleteNamespaces(names: readonly string[], directory: string, lockFd: number): Promise<void> {
  try {
    await runBatch(planDown(names), { directory, lockFd }, true);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    // No room for the batch file: one by one, which is slow, but needs none.
    for (const name of names) await run('ip', ['netns', 'del', name], { lockFd });
  }
}

/**
 * Ends the processes inside the instance's namespaces, deletes the namespaces (but for `foreign`), gives up the claim.
 * The caller has the lock of the instance. The kernel frees what was inside a little later, by itself: the names are
 * free at once. Works on a full disk.
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
  const { ended, left: stubborn } = await endProcesses(runDir, names);
  await deleteNamespaces(names, claimDirectory(runDir, instance), lockFd);
  const remaining = listNames(runDir);
  const left = names.filter((name) => remaining.has(name));
  if (left.length === 0) await dropClaim(context, instance);
  else await disclaim(context, instance, foreign);
  const problems = [
    ...stubborn.map((pid) => `process ${pid} inside the lab would not end`),
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
 * After `ip netns add` met a namespace that somebody else had made in between: that one, and all behind it in the
 * order in which they are made, as `ip -batch` stopped there.
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
