/** Ends the processes inside network namespaces. */
import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { findProcess } from '../../lib/processes/processes.ts';
import { inodeOf } from './namespace-files.ts';

const pollMs = 10;
/** The grace period after SIGTERM. */
const graceMs = 300;
/** The time limit, counted from the first SIGTERM. */
const limitMs = 5_000;

/** The namespaces with these names, in the format of the links `/proc/<pid>/ns/net`. */
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

/** This process and its ancestors: `lab exec h1 lab down` must not end itself half-way. */
function ownAncestry(): Set<number> {
  const pids = new Set<number>();
  for (let pid = process.pid; pid > 1 && !pids.has(pid); pid = findProcess(pid)?.parent ?? 0) pids.add(pid);
  return pids;
}

/**
 * Ends every process inside these namespaces, first with SIGTERM, then with SIGKILL. `left` has the pids of the
 * processes that did not end within five seconds. The namespace of the machine is never touched, even if another
 * program gave it one of the names.
 */
export async function endProcesses(
  runDir: string,
  names: readonly string[],
): Promise<{ readonly ended: number; readonly left: readonly number[] }> {
  const identities = identitiesOf(runDir, names);
  identities.delete(namespaceOf(1) ?? '');
  const spared = ownAncestry();
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
    if (spentMs > limitMs) break;
    // Repeated in every round: a process may have started another one just before it was killed.
    if (spentMs > graceMs) signalAll(left, 'SIGKILL');
    await delay(pollMs);
    left = inside();
  }
  return { ended: seen.size - left.length, left };
}
