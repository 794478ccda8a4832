/** One service per data directory: two would start the same jobs twice. */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../lib/app-error.ts';
import { deferred } from '../../lib/deferred.ts';
import { identify, isAlive, type ProcessIdentity } from '../../lib/processes.ts';
import { fileMode } from './job-files.ts';

const ownerFile = 'owner.json';

/** Thrown when another service owns the directory; the message names its process. */
export class DataDirBusy extends Error {
  override readonly name = 'DataDirBusy';
}

/** Thrown when another user could put jobs into the directory, which would run as this one. */
export class DataDirUnsafe extends Error {
  override readonly name = 'DataDirUnsafe';
}

/**
 * Whether the directory, and that of the jobs in it, is safe from other users: what the records there say is run. Gives a
 * warning for an administrator where it is not. It changes nothing: the directory may be a shared one that was given by
 * mistake.
 * @throws DataDirUnsafe when it belongs to another user than root or this one. Root is only warned: in a container, the
 * volume commonly belongs to the image's ordinary user, whom nobody is.
 */
export async function inspectDataDir(
  dataDir: string,
  self: number | undefined = process.getuid?.(),
): Promise<string | undefined> {
  // The outer one may be ours alone and the inner one not: after a chown that left out what is below.
  const ofJobs = path.join(dataDir, 'jobs');
  const hasJobs = await stat(ofJobs).then(
    () => true,
    () => false,
  );
  const warnings = [await inspect(dataDir, dataDir, self), hasJobs && (await inspect(ofJobs, dataDir, self))];
  return warnings.find((warning) => typeof warning === 'string');
}

/** `directory` is `dataDir` or the part of it to look at. */
async function inspect(
  directory: string,
  dataDir: string,
  self: number | undefined,
): Promise<string | undefined> {
  const { uid, mode } = await stat(directory);
  const name = directory === dataDir ? '' : ` (${path.relative(dataDir, directory)})`;
  if (self !== undefined && uid !== self && uid !== 0) {
    const owned = `belongs to another user (uid ${uid}), who could have jobs run as this one (uid ${self})`;
    const remedy = `run "chown -R ${self} ${dataDir}", or use another --data-dir`;
    if (self !== 0) throw new DataDirUnsafe(`the data directory ${directory} ${owned}; ${remedy}`);
    return `the data directory${name} ${owned}, which is as it should be in a container, whose ordinary user that is. Elsewhere: ${remedy}`;
  }
  const othersMayWrite = (mode & (constants.S_IWGRP | constants.S_IWOTH)) !== 0;
  return othersMayWrite
    ? `OTHER USERS MAY WRITE TO THE DATA DIRECTORY${name} and have jobs run as this one: run "chmod go-w ${directory}"`
    : undefined;
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

async function readOwner(handle: FileHandle): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await handle.readFile('utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

/** A link in place of the file would have us empty what it leads to. */
async function openOwnerFile(file: string): Promise<FileHandle> {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  try {
    return await open(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, fileMode);
  } catch (error) {
    throw new Error(`cannot use ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** The service that has the data directory now, by what is written there; undefined when none has. Looks only. */
export async function livingOwner(dataDir: string): Promise<ProcessIdentity | undefined> {
  const handle = await open(path.join(dataDir, ownerFile), 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  const owner = await readOwner(handle);
  await handle.close();
  return owner !== undefined && isAlive(owner) ? owner : undefined;
}

/**
 * Claims the data directory for this process; the result gives it back.
 * @throws DataDirBusy when another service has it, Error when its file cannot be used.
 */
export async function ownDataDir(dataDir: string): Promise<() => Promise<void>> {
  const handle = await openOwnerFile(path.join(dataDir, ownerFile));
  const lock = await lockFile(handle);
  const owner = await readOwner(handle);
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
  const giveUp = async (): Promise<void> => {
    await handle.truncate(0).catch(() => undefined);
    await handle.close();
  };
  try {
    await handle.truncate(0);
    await handle.write(`${JSON.stringify(identify(process.pid))}\n`);
  } catch (error) {
    // With the lock, the note only tells others who has it: a full disk must not keep running jobs without a service.
    if (lock === 'locked') return giveUp;
    await handle.close();
    throw new Error(`cannot write ${dataDir}/owner.json: ${messageOf(error)}`, { cause: error });
  }
  return giveUp;
}
