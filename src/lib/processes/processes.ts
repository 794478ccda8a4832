/**
 * Processes as Linux shows them under `/proc` (proc(5)). A pid alone says little: the kernel reuses it. A process is
 * named by pid + start time in clock ticks since boot + boot id, and a zombie counts as gone.
 *
 * "Gone" is only what the kernel calls so. When it cannot tell (no file descriptor left, say), these functions throw:
 * a caller that took this for "gone" would forget a running process.
 */
import { readFileSync } from 'node:fs';
import { systemCode } from '../app-error.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of `/proc/<pid>/stat`; 0 where there is no `/proc`. */
  readonly startTicks: number;
  readonly bootId: string;
}

export interface ProcessEntry {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
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

/** Whether this system has `/proc`. */
export const hasProcFs: boolean = bootId !== '';

/** Whether an error of a read below `/proc/<pid>` says that the process is gone. */
export function saysGone(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ESRCH';
}

/** The living process that `/proc/<pid>/stat` describes; undefined for a zombie. */
export function parseStat(pid: number, stat: string): ProcessEntry | undefined {
  // The command's name stands in parentheses and may itself hold spaces and parentheses: the last one ends it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, processGroup, session] = fields;
  const startTicks = fields[19];
  if (state === undefined || startTicks === undefined || state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    state,
    parent: Number(parent),
    processGroup: Number(processGroup),
    session: Number(session),
    startTicks: Number(startTicks),
  };
}

/** The living process with this pid, or undefined when there is none (or only a zombie). */
export function findProcess(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (saysGone(error)) return undefined;
    throw error;
  }
}

function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

/** The identity of the process `pid`, which no later process has. A process that is gone already gets start time -1, which matches nothing. */
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
