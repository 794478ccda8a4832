import { constants } from 'node:fs';
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { UsersFileError } from './users-file-error.ts';

/** Some 1,500 users. The parser of YAML blocks the service for a quarter of a second with them. */
export const maxUsersFileBytes = 256 * 1024;

/** The owner and the mode of a file or a directory: a user who can write to it could become any user of the service. */
interface Owned {
  readonly uid: number;
  readonly mode: number;
}

const writableByOthers = constants.S_IWGRP | constants.S_IWOTH;
const sticky = 0o1000;

interface ReadOptions {
  /** Whether root edits the file for the service's user: root accepts any owner. */
  readonly byRoot: boolean;
}

/** Returns the reason why another user than root and the user of this process could write; undefined if none can. */
function unsafe({ uid, mode }: Owned, { byRoot }: ReadOptions): string | undefined {
  const self = process.getuid?.();
  const isForOthers = byRoot && self === 0;
  if (self !== undefined && uid !== self && uid !== 0 && !isForOthers)
    return `belongs to another user (uid ${uid}), who could make themselves an administrator: chown it to ${self === 0 ? 'root' : `uid ${self} or root`}`;
  if ((mode & writableByOthers) !== 0) return 'may be written by others: run "chmod go-w" on it';
  return undefined;
}

/** In a sticky directory, such as a volume of Kubernetes, other users may add files, but cannot replace ours. */
function unsafeDirectory({ uid, mode }: Owned, options: ReadOptions): string | undefined {
  return unsafe({ uid, mode: (mode & sticky) === 0 ? mode : mode & ~writableByOthers }, options);
}

/** Reads one byte more than the limit. It uses the descriptor that was checked, so another file cannot take its place. */
async function readBounded(handle: FileHandle): Promise<string> {
  const buffer = Buffer.alloc(maxUsersFileBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) break;
  }
  if (length > maxUsersFileBytes) throw new Error(`is larger than ${maxUsersFileBytes / 1024} KiB`);
  return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length));
}

async function readChecked(handle: FileHandle, options: ReadOptions): Promise<string> {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new Error('is not a plain file');
  const why = unsafe(stats, options);
  if (why !== undefined) throw new Error(why);
  return readBounded(handle).catch((error: unknown) => {
    throw systemCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? new Error('is not UTF-8 text') : error;
  });
}

/** Checks the directory of the name and, behind a symbolic link, the directory of the file. */
async function checkDirectories(file: string, options: ReadOptions): Promise<void> {
  for (const directory of new Set([path.dirname(file), path.dirname(await realpath(file))])) {
    const why = unsafeDirectory(await stat(directory), options);
    if (why !== undefined) throw new Error(`is in a directory, ${directory}, that ${why}`);
  }
}

/**
 * Checks the directory of a new users file: otherwise `lab user add` could make a file with which the service does not start.
 * @throws UsersFileError if another user could replace the file.
 */
export async function checkPlaceOf(file: string, options: ReadOptions): Promise<void> {
  const directory = path.dirname(file);
  const why = unsafeDirectory(await stat(directory), options);
  if (why !== undefined)
    throw new UsersFileError([`${file} would be in a directory, ${directory}, that ${why}`]);
}

/**
 * Returns the text of a users file. Only root and the user of this process may be able to change the file, or to put another file
 * in its place. The directories above its own are up to the administrator.
 * @throws UsersFileError with one sentence that begins with the file.
 */
export async function readUsersFile(file: string, options: ReadOptions = { byRoot: false }): Promise<string> {
  try {
    // O_NONBLOCK: a pipe in its place would keep open(2) waiting for a writer.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const text = await readChecked(handle, options);
      await checkDirectories(file, options);
      return text;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new UsersFileError([sentenceOf(file, error)], { cause: error });
  }
}

function sentenceOf(file: string, error: unknown): string {
  switch (systemCode(error)) {
    case undefined:
      return `${file} ${messageOf(error)}`;
    case 'ENOENT':
      return `${file} is not there; "lab user add" makes it`;
    default:
      return `${file} cannot be read: ${messageOf(error)}`;
  }
}
