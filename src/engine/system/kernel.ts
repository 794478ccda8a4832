/** What the kernel has of our labs: namespaces by name, and the processes inside. Observed, never remembered. */
import { readdirSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findProcess } from '../../lib/processes.ts';

/** `NSFS_MAGIC` of linux/magic.h: the file system that a mounted namespace shows. */
const nsfsMagic = 0x6e_73_66_73;

const pollMs = 10;
/** How long a process may take to end by itself, and how long the kernel may take to end it. */
const politeMs = 300;
const killWaitMs = 5_000;

export function namespaceFile(runDir: string, name: string): string {
  return path.join(runDir, 'netns', name);
}

/** The names in `/run/netns`, also of those that are an empty file: an `ip netns add` that was killed leaves one. */
export function listNames(runDir: string): Set<string> {
  try {
    return new Set(readdirSync(path.join(runDir, 'netns')));
  } catch {
    return new Set();
  }
}

/** Whether a namespace of that name exists. */
export function isNamespace(runDir: string, name: string): boolean {
  try {
    return statfsSync(namespaceFile(runDir, name)).type === nsfsMagic;
  } catch {
    return false;
  }
}

/** The inode of the namespace of that name, by which the kernel tells it from others (namespaces(7)). */
export function inodeOf(runDir: string, name: string): number | undefined {
  return isNamespace(runDir, name) ? statSync(namespaceFile(runDir, name)).ino : undefined;
}

/** The namespaces as `/proc/<pid>/ns/net` names them. */
function identitiesOf(runDir: string, names: readonly string[]): Set<string> {
  const inodes = names.map((name) => inodeOf(runDir, name)).filter((inode) => inode !== undefined);
  return new Set(inodes.map((inode) => `net:[${inode}]`));
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return undefined;
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself.
    }
  }
}

/** This process and those that wait for it: `lab exec h1 lab down` must not end itself half-way. */
function ownLine(): Set<number> {
  const line = new Set<number>();
  for (let pid = process.pid; pid > 1 && !line.has(pid); pid = findProcess(pid)?.parent ?? 0) line.add(pid);
  return line;
}

/**
 * Ends every process inside these namespaces, politely first. The pids of those that would not end are in `left`.
 * Whatever somebody did with the names: the namespace of the machine is never a node's.
 */
export async function endProcesses(
  runDir: string,
  names: readonly string[],
): Promise<{ readonly ended: number; readonly left: readonly number[] }> {
  const identities = identitiesOf(runDir, names);
  identities.delete(namespaceOf(1) ?? '');
  const spared = ownLine();
  const inside = (): number[] => {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const others = pids.map(Number).filter((pid) => !spared.has(pid));
    return others.filter((pid) => identities.has(namespaceOf(pid) ?? ''));
  };
  const seen = new Set<number>();
  const startMs = performance.now();
  let left = inside();
  signalAll(left, 'SIGTERM');
  while (left.length > 0) {
    left.forEach((pid) => seen.add(pid));
    const spentMs = performance.now() - startMs;
    if (spentMs > killWaitMs) break;
    // Again in every round: what is hit may just have started another.
    if (spentMs > politeMs) signalAll(left, 'SIGKILL');
    await delay(pollMs);
    left = inside();
  }
  return { ended: seen.size - left.length, left };
}
