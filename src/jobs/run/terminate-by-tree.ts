import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import treeKill from 'tree-kill';
import { systemCode } from '../../lib/app-error.ts';
import { killWaitMs, makePause, send, type TerminateOptions, type Termination } from './termination.ts';

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
