/** Removes what a lab instance has in the kernel, however it came to be there: a lab, a half of one, or nothing. */
import { claimDirectory, claimedNames, disclaim, dropClaim, readClaim } from './claim.ts';
import { runBatch } from './build.ts';
import type { EngineContext } from './context.ts';
import { endProcesses, listNames } from './kernel.ts';
import { planDown } from './plan.ts';

export interface TornDown {
  readonly namespaces: number;
  readonly processes: number;
  /** Why the instance is not gone altogether; empty when it is. */
  readonly problems: readonly string[];
}

/** The namespaces that `teardown` would delete. */
export async function namespacesToDelete(context: EngineContext, instance: string): Promise<string[]> {
  const claim = context.seesKernel ? await readClaim(context, instance) : undefined;
  return claim === undefined ? [] : claimedNames(context.runDir, instance, claim);
}

/**
 * Ends the processes inside the instance's namespaces, deletes the namespaces, gives up the claim. The caller has the
 * lock of the instance. The kernel frees what was inside a little later, by itself: the names are free at once.
 */
export async function teardown(context: EngineContext, instance: string, lockFd: number): Promise<TornDown> {
  const { runDir } = context;
  const names = await namespacesToDelete(context, instance);
  if (names.length === 0) {
    if (context.seesKernel && (await readClaim(context, instance))) await dropClaim(context, instance);
    return { namespaces: 0, processes: 0, problems: [] };
  }
  const { ended, left: stubborn } = await endProcesses(runDir, names);
  const directory = claimDirectory(runDir, instance);
  await runBatch(planDown(names), { directory, lockFd }, true);
  const remaining = listNames(runDir);
  const left = names.filter((name) => remaining.has(name));
  if (left.length === 0) await dropClaim(context, instance);
  const problems = [
    ...stubborn.map((pid) => `process ${pid} inside the lab would not end`),
    ...left.map((name) => `namespace ${name} could not be deleted`),
  ];
  return { namespaces: names.length - left.length, processes: ended, problems };
}

/** After `ip netns add` met a namespace that somebody else had made in between: it stays theirs. */
export async function spareForeign(
  context: EngineContext,
  instance: string,
  details: readonly string[],
): Promise<void> {
  const met = /^Cannot create namespace file ".*\/([^/"]+)": File exists$/;
  const names = details.map((line) => met.exec(line)?.[1]).filter((name) => name !== undefined);
  await disclaim(context, instance, names);
}
