/** Ends everything that belongs to a job: the process group first, politely; then what escaped from it. */
import { hasProcFs, type ProcessEntry, type ProcessIdentity } from '../../lib/processes/processes.ts';
import { JobProcesses } from './job-processes.ts';
import { terminateByTree } from './terminate-by-tree.ts';
import { killWaitMs, makePause, send, type TerminateOptions, type Termination } from './termination.ts';

interface Target {
  readonly id: string;
  /** The shim; undefined when nobody knows which process it was. */
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
