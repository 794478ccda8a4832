/**
 * Processes as Linux shows them under `/proc` (proc(5)). A pid alone says little: the kernel reuses it. A process is
 * named by pid + start time in clock ticks since boot + boot id, and a zombie counts as gone.
 */
import { readFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';

export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of `/proc/<pid>/stat`; 0 where there is no `/proc`. */
  readonly startTicks: number;
  readonly bootId: string;
}

export interface ProcessEntry {
  readonly pid: number;
  readonly state: string;
  readonly processGroup: number;
  readonly session: number;
  readonly startTicks: number;
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Identifies this boot of the machine; empty where the system has no `/proc` (macOS). */
export const bootId: string = readBootId();

/** Whether processes can be looked at through `/proc` here. */
export const hasProcFs: boolean = bootId !== '';

function parseStat(pid: number, stat: string): ProcessEntry | undefined {
  // The command's name stands in parentheses and may itself hold spaces and parentheses: the last one ends it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, , processGroup, session] = fields;
  const startTicks = fields[19];
  if (state === undefined || startTicks === undefined) return undefined;
  return {
    pid,
    state,
    processGroup: Number(processGroup),
    session: Number(session),
    startTicks: Number(startTicks),
  };
}

function isRunning(entry: ProcessEntry | undefined): entry is ProcessEntry {
  return entry !== undefined && entry.state !== 'Z' && entry.state !== 'X';
}

/** The living process with this pid, or undefined when there is none (or only a zombie). */
export function findProcess(pid: number): ProcessEntry | undefined {
  try {
    const entry = parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return isRunning(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** What names the process `pid` for ever. A process that is gone already gets start time -1, which matches nothing. */
export function identify(pid: number): ProcessIdentity {
  if (!hasProcFs) return { pid, startTicks: 0, bootId };
  return { pid, startTicks: findProcess(pid)?.startTicks ?? -1, bootId };
}

/** Whether that very process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId) return false;
  if (!hasProcFs) return isSignalable(identity.pid);
  return findProcess(identity.pid)?.startTicks === identity.startTicks;
}

/** Every living process. Without `/proc`, none. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  const names = await readdir('/proc').catch(() => []);
  const entries = names.filter((name) => /^\d+$/.test(name)).map((name) => findProcess(Number(name)));
  return entries.filter(isRunning);
}

/** Whether the process was started with `variable=value` in its environment. False when it may not be read. */
export async function hasEnvironment(pid: number, assignment: string): Promise<boolean> {
  const environ = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
  if (!environ) return false;
  return Buffer.concat([Buffer.of(0), environ]).includes(`\0${assignment}\0`);
}
