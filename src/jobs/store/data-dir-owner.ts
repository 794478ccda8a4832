/** One service per data directory: two would start the same jobs twice. */
import { constants, existsSync, readFileSync } from 'node:fs';
import { open, realpath, stat, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../lib/app-error.ts';
import { exists } from '../../lib/files/exists.ts';
import { makeDirectories } from '../../lib/files/make-directories.ts';
import { packageFile } from '../../lib/files/package-root.ts';
import { lockFile } from '../../lib/files/lock-file.ts';
import { readPlainFile } from '../../lib/files/plain-file.ts';
import { identify, isAlive, type ProcessIdentity } from '../../lib/processes/processes.ts';
import { noteFormat, unknownFormat, type Noted } from './data-dir-format.ts';
import { fileMode } from './job-files.ts';

const ownerFile = 'owner.json';

interface Owner extends ProcessIdentity {
  /** Where it listens; absent until it does, and in notes of earlier versions. */
  readonly url?: string;
}

/** Thrown when another service owns the directory; the message names its process. */
export class DataDirBusy extends Error {
  override readonly name = 'DataDirBusy';
}

/** Thrown when another user could put jobs into the directory: the service would run them as its own user. */
export class DataDirUnsafe extends Error {
  override readonly name = 'DataDirUnsafe';
}

/** The user id that the Dockerfile notes beside the program: that of the image's ordinary user. Undefined elsewhere. */
function imageUser(): number | undefined {
  const file = packageFile('image-user');
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
}

/**
 * Looks whether other users may write to the data directory or the jobs directory in it: the service runs what the records
 * there say. Gives a sentence for an administrator when they may. It changes no permissions: the directory may be a shared
 * one that was given by mistake.
 * @throws DataDirUnsafe when a directory belongs to another user than root and the service's own. When the service runs as
 * root, that is a warning only, and with the image's ordinary user nothing at all: volumes belong to that one, and no
 * person or program works as it.
 */
export async function inspectDataDir(
  dataDir: string,
  self: number | undefined = process.getuid?.(),
  ofImage: number | undefined = imageUser(),
): Promise<string | undefined> {
  // The data directory may be ours alone and the jobs directory in it not: after a chown that was not recursive.
  const ofJobs = path.join(dataDir, 'jobs');
  const hasJobs = await exists(ofJobs).catch(() => false);
  const warnings = [
    await inspect(dataDir, dataDir, { self, ofImage }),
    hasJobs && (await inspect(ofJobs, dataDir, { self, ofImage })),
  ];
  return warnings.find((warning) => typeof warning === 'string');
}

/** `directory` is `dataDir` or the part of it to look at. */
async function inspect(
  directory: string,
  dataDir: string,
  { self, ofImage }: Record<'self' | 'ofImage', number | undefined>,
): Promise<string | undefined> {
  const { uid, mode } = await stat(directory);
  const name = directory === dataDir ? '' : ` (${path.relative(dataDir, directory)})`;
  const isHarmless = self === 0 && uid === ofImage;
  if (self !== undefined && uid !== self && uid !== 0 && !isHarmless) {
    const owned = `belongs to another user (uid ${uid}), who could have jobs run as this one (uid ${self})`;
    const remedy = `run "chown -R ${self} ${dataDir}", or use another --data-dir`;
    if (self !== 0) throw new DataDirUnsafe(`the data directory ${directory} ${owned}; ${remedy}`);
    return `the data directory${name} ${owned}: ${remedy}`;
  }
  const othersMayWrite = (mode & (constants.S_IWGRP | constants.S_IWOTH)) !== 0;
  return othersMayWrite
    ? `OTHER USERS MAY WRITE TO THE DATA DIRECTORY${name} and have jobs run as this one: run "chmod go-w ${directory}"`
    : undefined;
}

/** Which process has noted itself as the owner; undefined when none has. */
async function readOwner(file: string): Promise<Owner | undefined> {
  const reading = await readPlainFile(file);
  if (reading.kind !== 'found') return undefined;
  try {
    return JSON.parse(reading.text) as Owner;
  } catch {
    return undefined;
  }
}

/** Follows no link: the file is emptied later, and with it what a link leads to. */
async function openOwnerFile(file: string): Promise<FileHandle> {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  try {
    return await open(file, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, fileMode);
  } catch (error) {
    throw new Error(`cannot use ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** The service that has the data directory now, by what is written there; undefined when none has. Claims nothing. */
export async function livingOwner(dataDir: string): Promise<Owner | undefined> {
  const owner = await readOwner(path.join(dataDir, ownerFile));
  return owner !== undefined && isAlive(owner) ? owner : undefined;
}

/**
 * Claims the data directory for this process; the result gives it back.
 * @throws DataDirBusy when another service has it, Error when its file cannot be used.
 */
export async function ownDataDir(dataDir: string): Promise<() => Promise<void>> {
  const file = path.join(dataDir, ownerFile);
  const handle = await openOwnerFile(file);
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
  const giveUp = async (): Promise<void> => {
    await handle.truncate(0).catch(() => undefined);
    await handle.close();
  };
  try {
    await handle.truncate(0);
    await handle.write(`${JSON.stringify(identify(process.pid))}\n`);
  } catch (error) {
    // The owner of the lock needs the note only to show its process id to others. A full disk is no reason not to start: jobs may
    // be running, and need a service.
    if (lock === 'locked') return giveUp;
    await handle.close();
    throw new Error(`cannot write ${file}: ${messageOf(error)}`, { cause: error });
  }
  return giveUp;
}

/** Adds to the note of this process where it listens, for `lab health`; that is no reason not to start when it fails. */
export async function noteUrl(dataDir: string, url: string): Promise<void> {
  const note = `${JSON.stringify({ ...identify(process.pid), url })}\n`;
  try {
    // Another file in its place would not be locked, and an empty one would name no owner: this begins as the note that is there.
    await writeFile(path.join(dataDir, ownerFile), note, { flag: constants.O_WRONLY | constants.O_NOFOLLOW });
  } catch {
    // A full disk, say: `lab health` asks where the settings say then.
  }
}

/** The data directory of another service in which this one lies; undefined for none. */
export async function outerDataDir(dataDir: string): Promise<string | undefined> {
  let directory = await realpath(dataDir).catch(() => dataDir);
  while (directory !== path.dirname(directory)) {
    directory = path.dirname(directory);
    if ([ownerFile, 'jobs'].every((name) => existsSync(path.join(directory, name)))) return directory;
  }
  return undefined;
}

/**
 * Makes the data directory and has it to this service alone; the result gives it up.
 * @throws Error with one sentence for a person.
 */
export async function prepareDataDir(dataDir: string, noted: Noted): Promise<() => Promise<void>> {
  const outer = await outerDataDir(dataDir);
  if (outer !== undefined)
    throw new Error(
      `the data directory ${dataDir} lies in that of another service, ${outer}, which would take its files for its own; choose another --data-dir`,
    );
  try {
    await makeDirectories(dataDir, 0o700);
  } catch (error) {
    throw new Error(`cannot make the data directory ${dataDir}: ${messageOf(error)}`, { cause: error });
  }
  const warning = await inspectDataDir(dataDir);
  if (warning !== undefined) noted.log.warn(warning);
  // Before anything is written: the version that knows the format must find all as it left it.
  const unknown = await unknownFormat(dataDir);
  if (unknown !== undefined) throw new Error(`${unknown.detail}; ${unknown.remedy}`);
  const giveUp = await ownDataDir(dataDir);
  await noteFormat(dataDir, noted);
  return giveUp;
}
