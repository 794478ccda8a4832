/** One service per data directory: two would start the same jobs twice. */
import { spawn } from 'node:child_process';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { deferred } from '../lib/deferred.ts';
import { identify, isAlive, type ProcessIdentity } from '../lib/processes.ts';
import { fileMode } from './job-files.ts';

const ownerFile = 'owner.json';

/** Thrown when another service owns the directory; the message names its process. */
export class DataDirBusy extends Error {
  override readonly name = 'DataDirBusy';
}

/**
 * Asks `flock` (util-linux, busybox) for a lock on our open file. The lock belongs to the open file, which child and
 * service share (flock(2)), so it stays with us when `flock` is gone and ends with us however we end.
 */
async function lockFile(handle: FileHandle): Promise<'locked' | 'busy' | 'no-flock'> {
  const answer = deferred<'locked' | 'busy' | 'no-flock'>();
  const child = spawn('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', handle.fd],
  });
  child.once('error', () => answer.resolve('no-flock'));
  // 1 means that somebody has the lock; anything else, that this file system has no locks (flock(1)).
  const answers: Readonly<Record<number, 'locked' | 'busy'>> = { 0: 'locked', 1: 'busy' };
  child.once('exit', (code) => answer.resolve(answers[code ?? -1] ?? 'no-flock'));
  return answer.promise;
}

async function readOwner(file: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

/** The service that has the data directory now, by what is written there; undefined when none has. Looks only. */
export async function livingOwner(dataDir: string): Promise<ProcessIdentity | undefined> {
  const owner = await readOwner(path.join(dataDir, ownerFile));
  return owner !== undefined && isAlive(owner) ? owner : undefined;
}

/**
 * Claims the data directory for this process; the result gives it back.
 * @throws DataDirBusy when another service has it.
 */
export async function ownDataDir(dataDir: string): Promise<() => Promise<void>> {
  const file = path.join(dataDir, ownerFile);
  const handle = await open(file, 'a', fileMode);
  const lock = await lockFile(handle);
  const owner = await readOwner(file);
  // Without `flock` (macOS) the recorded process decides, which leaves a short race between two simultaneous starts.
  const isTaken =
    lock === 'busy' ||
    (lock === 'no-flock' && owner !== undefined && owner.pid !== process.pid && isAlive(owner));
  if (isTaken) {
    await handle.close();
    const who = owner === undefined ? 'another service' : `the service with process id ${owner.pid}`;
    throw new DataDirBusy(
      `the data directory ${dataDir} is in use by ${who}; stop it, or give this one another --data-dir`,
    );
  }
  await handle.truncate(0);
  await handle.write(`${JSON.stringify(identify(process.pid))}\n`);
  return async () => {
    await handle.truncate(0).catch(() => undefined);
    await handle.close();
  };
}
