/**
 * `commands/` has one file for each command. This file has `lab up`, which makes a lab, or undoes an incomplete
 * start.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../lib/app-error.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import type { Lab } from '../core/lab.ts';
import type { LabEntries, LabEntry } from '../core/lab-status.ts';
import { counted, sayUnlessQuiet, sizeInWords, type Say, type Verbosity } from '../core/wording.ts';
import { computeLab, topologyFileOf, type TopologyArguments } from '../lab/compute-lab.ts';
import { readSnapshot, writeSnapshot } from '../lab/snapshot.ts';
import { runPhase, type ProgressOptions } from '../namespaces/run-phase.ts';
import { namespacesOf, phasesOfUp, renderPhases, type Phase } from '../namespaces/phases.ts';
import { foreignNames, namespacesToDelete, teardown } from '../namespaces/teardown.ts';
import { makeClaim, recordInodes } from '../state/claim.ts';
import { claimDirectory } from '../system/namespace-files.ts';
import { forgetLab, withInstanceLock } from '../state/instance-lock.ts';
import { logged, readRegistry, updateRegistry } from '../state/lab-registry.ts';
import { hostsText, readNodeRecords, writeNodeRecords } from '../state/node-records.ts';
import type { Lock } from '../system/lock.ts';

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
async function refuseOtherLabs(context: EngineContext, lab: Lab, topology: string, entries: LabEntries) {
  const previous = entries.get(lab.instance);
  const exists = (await namespacesToDelete(context, lab.instance)).length > 0;
  if (previous !== undefined && previous.dir !== context.cwd && exists) {
    throw new EngineError(
      `the lab instance ${lab.instance} is already running in ${previous.dir}: stop it there (lab down), ` +
        'or give this lab a multilab id of its own: --plugin multilab --set defaults.multilab.id=<number>',
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

const everyMs = 1_000;

interface Doing {
  readonly verb: 'Creating' | 'Configuring';
  readonly count: number;
  readonly noun: 'node' | 'link';
}

function doingIn(phase: Phase, lab: Lab): Doing {
  switch (phase.title) {
    case 'namespaces':
      return { verb: 'Creating', count: lab.nodes.length, noun: 'node' };
    case 'links':
      return { verb: 'Creating', count: lab.links.length, noun: 'link' };
    case 'nodes':
      return { verb: 'Configuring', count: lab.nodes.length, noun: 'node' };
  }
}

/**
 * Announces the phase (`Creating 900 links`); returns the progress option of `runPhase` (`Creating links: 312 of
 * 900`).
 */
export function progressOf(phase: Phase, lab: Lab, say: Say): ProgressOptions {
  const { verb, count, noun } = doingIn(phase, lab);
  say(`${verb} ${counted(count, noun)}\n`);
  return {
    everyMs,
    say: (fraction) => say(`${verb} ${noun}s: ${Math.floor(fraction * count)} of ${count}\n`),
  };
}

interface UpOptions extends Verbosity {
  readonly topology: TopologyArguments;
  readonly dryRun: boolean;
  /** Starts the lab of this snapshot file instead of a topology file. */
  readonly snapshot?: string;
  /** The topology file of the snapshot, if known. */
  readonly origin?: string;
}

/**
 * Adds the lab to the registry before any part of it exists, so that `down` always finds it. Returns the previous
 * entry.
 */
async function registerStart(
  context: EngineContext,
  lab: Lab,
  topology: string,
): Promise<LabEntry | undefined> {
  let previous: LabEntry | undefined;
  await updateRegistry(context.home, async (entries) => {
    await refuseOtherLabs(context, lab, topology, entries);
    previous = entries.get(lab.instance);
    const fresh = { dir: context.cwd, log: [], name: lab.name, providers: ['netns'], topology };
    entries.set(lab.instance, logged({ ...fresh, status: 'starting' }, 'starting provider netns'));
  });
  return previous;
}

async function noteStarted(context: EngineContext, lab: Lab): Promise<void> {
  await updateRegistry(context.home, (entries) => {
    const entry = entries.get(lab.instance);
    if (entry === undefined) return;
    const built = logged(entry, `OK: ${sizeInWords(lab)}`);
    entries.set(lab.instance, { ...logged(built, 'started', 'started'), log_line: built.log_line });
  });
}

async function build(context: EngineContext, lab: Lab, lock: Lock, say: Say): Promise<void> {
  const nodes = await writeNodeRecords(context.home, lab);
  await makeClaim(context, lab.instance, namespacesOf(lab));
  const directory = claimDirectory(context.runDir, lab.instance);
  await writeFile(path.join(directory, 'hosts'), hostsText(nodes));
  for (const phase of phasesOfUp(lab)) {
    context.interrupted.throwIfAborted();
    const progress = progressOf(phase, lab, say);
    const signal = context.interrupted;
    await runPhase(phase, { directory, lockFd: lock.fd, signal, progress });
    if (phase.title === 'namespaces') await recordInodes(context, lab.instance);
  }
  context.interrupted.throwIfAborted();
}

/** Removes the parts of the lab after `reason` stopped `up`; always throws that reason. */
async function undo(context: EngineContext, instance: string, lock: Lock, reason: unknown): Promise<never> {
  context.err('Removing the incomplete lab\n');
  try {
    const details = reason instanceof EngineError ? reason.details : [];
    const foreign = await foreignNames(context, instance, details);
    const { problems } = await teardown(context, instance, lock.fd, foreign);
    for (const problem of problems) context.err(`Warning: ${problem}\n`);
    if (problems.length === 0) await forgetLab(context.home, instance);
  } catch (error) {
    context.err(`Warning: ${messageOf(error)}; "lab down" removes the rest\n`);
  }
  throw reason;
}

async function start(context: EngineContext, lab: Lab, options: UpOptions, lock: Lock): Promise<void> {
  const say = sayUnlessQuiet(context, options);
  const startMs = performance.now();
  const topology = options.origin ?? options.snapshot ?? topologyFileOf(context.cwd, options.topology);
  await refuseOtherLabs(context, lab, topology, await readRegistry(context.home));
  // Before any change: if the file cannot be written, a running lab stays as it is.
  if (options.snapshot === undefined) await writeSnapshot(context.cwd, lab);
  const previous = await registerStart(context, lab, topology);
  try {
    const { nodes, problems } = await teardown(context, lab.instance, lock.fd);
    if (problems.length > 0) throw new EngineError('cannot remove the remains of this lab', problems);
    if (nodes > 0) {
      const how = previous?.status === 'started' ? 'is already up' : 'was incomplete';
      say(`Lab ${lab.instance} ${how}: starting it again, ${counted(nodes, 'old node')} removed\n`);
    }
    await build(context, lab, lock, say);
    await noteStarted(context, lab);
  } catch (error) {
    await undo(context, lab.instance, lock, error);
  }
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(2);
  say(`Lab ${lab.instance} is up: ${sizeInWords(lab)}, ${seconds} s\n`);
  if (lab.message !== null) say(`\n${lab.message.trimEnd()}\n`);
}

export async function upCommand(context: EngineContext, options: UpOptions): Promise<void> {
  const { snapshot, topology } = options;
  const lab =
    snapshot === undefined ? await computeLab(context, topology) : await readSnapshot(context.cwd, snapshot);
  if (options.dryRun) {
    context.out(renderPhases(phasesOfUp(lab)));
    return;
  }
  await withInstanceLock(context, lab.instance, (lock) => start(context, lab, options, lock));
}
