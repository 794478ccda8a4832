/** Ends everything that belongs to a job: the process group first, politely; then what escaped from it. */
import { setTimeout as delay } from 'node:timers/promises';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import treeKill from 'tree-kill';
import {
  bootId,
  findProcess,
  hasEnvironment,
  hasProcFs,
  isAlive,
  listProcesses,
  type ProcessEntry,
  type ProcessIdentity,
} from '../lib/processes.ts';
import { jobIdVariable } from './process.ts';

const pollMs = 50;
/** How long to wait for the kernel to remove what SIGKILL hit; longer only in an uninterruptible sleep. */
const killWaitMs = 5_000;

interface Target {
  readonly id: string;
  /** The shim; undefined when nobody knows which process it was. */
  readonly identity: ProcessIdentity | undefined;
}

interface TerminateOptions {
  /** Between SIGINT and SIGTERM, and between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Aborted when nobody wants to wait any longer: SIGKILL at once. */
  readonly hurry: AbortSignal;
}

/**
 * Living processes of a job: those that carry its id in their environment, and those of its session. The second finds
 * what runs as another user (`sudo`), whose environment may not be read.
 */
export async function findSurvivors({ id, identity }: Target): Promise<ProcessEntry[]> {
  const entries = await listProcesses();
  const leader = identity && findProcess(identity.pid);
  // The machine was started anew, or somebody else leads a session of this number now: the session is not ours.
  const sessionIsOurs = identity?.bootId === bootId && (!leader || leader.startTicks === identity.startTicks);
  const belongs = async (entry: ProcessEntry): Promise<boolean> => {
    if (entry.pid === process.pid) return false;
    const isInSession =
      sessionIsOurs && entry.session === identity.pid && entry.startTicks >= identity.startTicks;
    return isInSession || hasEnvironment(entry.pid, `${jobIdVariable}=${id}`);
  };
  const flags = await Promise.all(entries.map(belongs));
  return entries.filter((_, index) => flags[index]);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone meanwhile, or not ours to signal: the next look at the survivors tells.
  }
}

function signalSurvivors(target: Target, survivors: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  const group = target.identity?.pid;
  if (survivors.some((entry) => entry.processGroup === group)) send(-(group ?? 0), signal);
  for (const entry of survivors) if (entry.processGroup !== group) send(entry.pid, signal);
}

async function pause(hurry: AbortSignal): Promise<void> {
  await delay(pollMs, undefined, { signal: hurry }).catch(() => undefined);
}

/** Waits until nothing is left, or until the time is up, or until somebody is in a hurry. */
async function waitForEnd(target: Target, waitMs: number, hurry: AbortSignal): Promise<ProcessEntry[]> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    // Looking at every process costs milliseconds; while the shim lives there is no need to.
    const leaderLives = target.identity !== undefined && isAlive(target.identity);
    const survivors = leaderLives ? undefined : await findSurvivors(target);
    if (survivors?.length === 0) return [];
    if (performance.now() >= deadline || hurry.aborted) return survivors ?? findSurvivors(target);
    await pause(hurry);
  }
}

/** Interrupt, grace, terminate, grace, kill, sweep. Gives the pids of what could not be killed. */
async function terminateByProcFs(target: Target, options: TerminateOptions): Promise<number[]> {
  let survivors = await findSurvivors(target);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    if (survivors.length === 0) return [];
    if (options.hurry.aborted) break;
    signalSurvivors(target, survivors, signal);
    survivors = await waitForEnd(target, options.graceMs, options.hurry);
  }
  // New children may appear while we kill: look and kill until none is left or the time is up.
  const deadline = performance.now() + killWaitMs;
  while (survivors.length > 0 && performance.now() < deadline) {
    signalSurvivors(target, survivors, 'SIGKILL');
    await delay(pollMs);
    survivors = await findSurvivors(target);
  }
  return survivors.map((entry) => entry.pid);
}

function hasPs(): boolean {
  const directories = ['/bin', '/usr/bin', '/usr/local/bin'];
  return directories.some((directory) => {
    try {
      accessSync(path.join(directory, 'ps'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function waitForGroup(pid: number, waitMs: number, hurry: AbortSignal): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (groupLives(pid) && performance.now() < deadline && !hurry.aborted) await pause(hurry);
}

/** Where there is no `/proc` (macOS): the group by signals, and the tree below it by `tree-kill`, which needs `ps`. */
async function terminateByTree(pid: number, options: TerminateOptions): Promise<number[]> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    if (options.hurry.aborted) break;
    send(-pid, signal);
    await waitForGroup(pid, options.graceMs, options.hurry);
    if (!groupLives(pid)) return [];
  }
  // Without `ps`, tree-kill ends in an uncaught error and kills nothing.
  if (hasPs())
    await promisify(treeKill as (pid: number, signal: string, done: (error?: Error) => void) => void)(
      pid,
      'SIGKILL',
    ).catch(() => undefined);
  send(-pid, 'SIGKILL');
  await waitForGroup(pid, killWaitMs, new AbortController().signal);
  return groupLives(pid) ? [pid] : [];
}

/** Ends every process of a job; the result is empty when nothing of it is left. Never throws. */
export async function terminate(target: Target, options: TerminateOptions): Promise<number[]> {
  if (hasProcFs) return terminateByProcFs(target, options);
  return target.identity ? terminateByTree(target.identity.pid, options) : [];
}
