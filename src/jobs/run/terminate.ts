/** Ends everything that belongs to a job: the process group first, politely; then what escaped from it. */
import { hasProcFs, type ProcessEntry, type ProcessIdentity } from '../../lib/processes/processes.ts';
import { JobProcesses } from './job-processes.ts';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import treeKill from 'tree-kill';
import { systemCode } from '../../lib/app-error.ts';
import { setTimeout as delay } from 'node:timers/promises';

const firstPollMs = 20;
const slowestPollMs = 500;
/** How long to wait for the kernel to remove what SIGKILL hit; longer only in an uninterruptible sleep. */
const killWaitMs = 5_000;

export interface TerminateOptions {
  /** Between SIGINT and SIGTERM, and between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Aborted when the processes are to be killed at once, without (more) grace. */
  readonly forceKill: AbortSignal;
}

export interface Termination {
  /** Whether anything but the shim was alive when the first signal was sent. */
  readonly signaled: boolean;
  /** Process ids that survived. */
  readonly leftovers: readonly number[];
  /** Whether SIGINT and SIGTERM, with their grace, were not enough. */
  readonly neededKill: boolean;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone meanwhile, or not ours to signal: the next look at the survivors tells.
  }
}

/** A pause that is longer each time, and over as soon as `cut` is aborted. */
function makePause(cut: AbortSignal): () => Promise<void> {
  let pauseMs = firstPollMs;
  return async () => {
    await delay(pauseMs, undefined, { signal: cut }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 1.5, slowestPollMs);
  };
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
    return systemCode(error) === 'EPERM';
  }
}

async function waitForGroup(pid: number, waitMs: number, forceKill: AbortSignal): Promise<void> {
  const deadline = performance.now() + waitMs;
  const pause = makePause(forceKill);
  while (groupLives(pid) && performance.now() < deadline && !forceKill.aborted) await pause();
}

/** Where there is no `/proc` (macOS): the group by signals, and the tree below it by `tree-kill`, which needs `ps`. */
export async function terminateByTree(pid: number, options: TerminateOptions): Promise<Termination> {
  const signaled = groupLives(pid);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    if (options.forceKill.aborted) break;
    send(-pid, signal);
    await waitForGroup(pid, options.graceMs, options.forceKill);
    if (!groupLives(pid)) return { signaled, leftovers: [], neededKill: false };
  }
  const neededKill = !options.forceKill.aborted;
  // Without `ps`, tree-kill ends in an uncaught error and kills nothing.
  const killTree = promisify(
    treeKill as (pid: number, signal: string, done: (error?: Error) => void) => void,
  );
  if (hasPs()) await killTree(pid, 'SIGKILL').catch(() => undefined);
  send(-pid, 'SIGKILL');
  await waitForGroup(pid, killWaitMs, new AbortController().signal);
  return { signaled, neededKill, leftovers: groupLives(pid) ? [pid] : [] };
}

interface Target {
  readonly id: string;
  /** The shim; undefined when that process is unknown. */
  readonly identity: ProcessIdentity | undefined;
}

function signalSurvivors(
  group: number | undefined,
  survivors: readonly ProcessEntry[],
  signal: NodeJS.Signals,
): void {
  if (group !== undefined && survivors.some((entry) => entry.processGroup === group)) send(-group, signal);
  for (const entry of survivors) if (entry.processGroup !== group) send(entry.pid, signal);
}

/** Waits until nothing is left, the time is up, or the processes are to be killed at once; gives what is left then. */
async function waitForEnd(
  processes: JobProcesses,
  waitMs: number,
  forceKill: AbortSignal,
): Promise<ProcessEntry[]> {
  const deadline = performance.now() + waitMs;
  const pause = makePause(forceKill);
  for (;;) {
    const isOver = performance.now() >= deadline || forceKill.aborted;
    // Looking at every process costs; while the shim lives there is no need to.
    const survivors = processes.isShimAlive() && !isOver ? undefined : await processes.survivors();
    if (survivors?.length === 0) return [];
    if (isOver) return survivors ?? [];
    await pause();
  }
}

/** Interrupt, grace, terminate, grace, kill, sweep. */
async function terminateByProcFs(target: Target, options: TerminateOptions): Promise<Termination> {
  const processes = new JobProcesses(target.id, target.identity);
  const group = target.identity?.pid;
  let survivors = await processes.survivors();
  const signaled = survivors.some((entry) => entry.pid !== group);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    if (survivors.length === 0 || options.forceKill.aborted) break;
    signalSurvivors(group, survivors, signal);
    survivors = await waitForEnd(processes, options.graceMs, options.forceKill);
  }
  const neededKill = survivors.length > 0 && !options.forceKill.aborted;
  // New children may appear while we kill: look and kill until none is left or the time is up.
  const deadline = performance.now() + killWaitMs;
  const pause = makePause(new AbortController().signal);
  while (survivors.length > 0 && performance.now() < deadline) {
    signalSurvivors(group, survivors, 'SIGKILL');
    await pause();
    survivors = await processes.survivors();
  }
  return { signaled, neededKill, leftovers: survivors.map((entry) => entry.pid) };
}

/**
 * Ends every process of a job; `leftovers` is empty when nothing of it is left.
 * @throws Error when the system cannot tell which processes there are; try again then.
 */
export async function terminate(target: Target, options: TerminateOptions): Promise<Termination> {
  if (hasProcFs) return terminateByProcFs(target, options);
  if (target.identity) return terminateByTree(target.identity.pid, options);
  return { signaled: false, leftovers: [], neededKill: false };
}
