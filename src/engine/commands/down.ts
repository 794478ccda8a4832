/** `lab down`: removes a lab from the kernel and from the registry. */
import { lstatSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../lib/app-error.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { collectDirectoryName, snapshotName } from '../core/file-names.ts';
import { counted, sayUnlessQuiet, type Say, type Verbosity } from '../core/wording.ts';
import { phaseOfDown, renderPhases } from '../namespaces/phases.ts';
import { namespacesToDelete, teardown } from '../namespaces/teardown.ts';
import { unknownInstance } from '../state/choose-lab.ts';
import { ownClaims, type Claim } from '../state/claim.ts';
import { forgetLab, withInstanceLock } from '../state/instance-lock.ts';
import { logged, readRegistry, tidyRegistry, updateRegistry } from '../state/lab-registry.ts';
import { removeTemporaries } from '../system/files.ts';
import { removeCollected } from './collect-directory.ts';

interface DownOptions extends Verbosity {
  readonly instance?: string;
  /** Also removes the files that `create`, `up` and `collect` wrote into the lab's directory. */
  readonly cleanup: boolean;
  /** Removes the lab from the registry even if a part of it could not be removed. */
  readonly force: boolean;
  readonly dryRun: boolean;
}

async function cleanUp(directory: string, say: Say): Promise<void> {
  const snapshot = path.join(directory, snapshotName);
  say('Cleanup configuration files\n');
  await removeTemporaries(snapshot);
  if (await removeCollected(path.join(directory, collectDirectoryName)))
    say(`... removing ${collectDirectoryName}\n`);
  const found = lstatSync(snapshot, { throwIfNoEntry: false });
  // The engine did not make a directory of that name.
  if (found === undefined || found.isDirectory()) return;
  say(`... removing ${snapshotName}\n`);
  await rm(snapshot, { force: true });
}

/**
 * Records that the lab is being stopped, for a concurrent `status`. Only warns if the registry cannot be written: the
 * disk may be full, and removing the lab may free space.
 */
async function noteStopping(context: EngineContext, instance: string): Promise<void> {
  try {
    await updateRegistry(context.home, (entries) => {
      const entry = entries.get(instance);
      if (entry !== undefined) entries.set(instance, logged(entry, 'stopping provider netns', 'stopping'));
    });
  } catch (error) {
    context.err(`Warning: ${messageOf(error)}\n`);
  }
}

/** Returns a sentence about the result. */
async function stop(
  context: EngineContext,
  instance: string,
  lockFd: number,
  options: DownOptions,
): Promise<string> {
  const say = sayUnlessQuiet(context, options);
  await noteStopping(context, instance);
  say(`Stopping lab ${instance}\n`);
  const { nodes, processes, problems } = await teardown(context, instance, lockFd);
  if (problems.length > 0 && !options.force) {
    throw new EngineError(
      `could not stop the lab completely; "lab down --force" removes it from the registry anyway`,
      problems,
    );
  }
  for (const problem of problems) context.err(`Warning: ${problem}\n`);
  await forgetLab(context.home, instance);
  const ended = processes > 0 ? `, ${counted(processes, 'process', 'processes')} inside ended` : '';
  return `Lab ${instance} is down: ${counted(nodes, 'node')} removed${ended}\n`;
}

/**
 * The directories of all labs, by instance: labs in the registry, and labs of our claims, because the registry may be
 * lost.
 */
async function knownLabs(context: EngineContext): Promise<ReadonlyMap<string, string>> {
  const entries = await readRegistry(context.home);
  const claims = context.seesKernel ? await ownClaims(context) : new Map<string, Claim>();
  return new Map([...claims, ...entries].map(([id, { dir }]) => [id, dir]));
}

/** The instance to stop; undefined if no lab is known here. */
function findLab({ cwd }: EngineContext, known: ReadonlyMap<string, string>, asked?: string) {
  if (asked !== undefined) {
    const directory = known.get(asked);
    if (directory === undefined) throw unknownInstance(asked);
    return { instance: asked, directory };
  }
  const here = [...known].find(([, directory]) => directory === cwd);
  return here && { instance: here[0], directory: here[1] };
}

const namedElsewhereMax = 5;

/** Lists the labs of other directories, for a `down` in the wrong directory; empty if there are none. */
function elsewhere(known: ReadonlyMap<string, string>): string {
  if (known.size === 0) return '';
  const named = [...known].slice(0, namedElsewhereMax).map(([id, directory]) => `${id} in ${directory}`);
  const list = `${named.join(', ')}${known.size > named.length ? ', …' : ''}`;
  return `Labs in other directories: ${list}; stop one with "lab down --instance <id>"\n`;
}

export async function downCommand(context: EngineContext, options: DownOptions): Promise<void> {
  const say = sayUnlessQuiet(context, options);
  const known = await knownLabs(context);
  const found = findLab(context, known, options.instance);
  if (found === undefined) {
    say(`No lab is running in ${context.cwd}: nothing to do\n${elsewhere(known)}`);
    if (options.dryRun) return;
    await tidyRegistry(context.home);
    if (options.cleanup) await cleanUp(context.cwd, say);
    return;
  }
  const { instance, directory } = found;
  if (options.dryRun) {
    context.out(renderPhases([phaseOfDown(await namespacesToDelete(context, instance))]));
    return;
  }
  const done = await withInstanceLock(context, instance, (lock) => stop(context, instance, lock.fd, options));
  try {
    if (options.cleanup) await cleanUp(directory, say);
  } finally {
    // The progress of a job shows the last line.
    say(done);
  }
}
