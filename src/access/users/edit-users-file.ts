import { randomBytes } from 'node:crypto';
import { lstat, open, readdir, realpath, stat, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { exists } from '../../lib/files/exists.ts';
import { lockFile } from '../../lib/files/lock-file.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import type { User } from '../model/user.ts';
import { parseYaml, usersFileOf, type UsersDocument } from './parse-users.ts';
import { checkPlaceOf, maxUsersFileBytes, readUsersFile } from './read-users-file.ts';
import { naming, UsersFileError } from './users-file-error.ts';

/** The content of a new file. */
const heading = `# The users of lab-api besides that of LAB_API_USER: docs/access.md.
users: []
`;

/** The time that another edit may take. */
const lockSeconds = 30;

/** Returns the file behind a symbolic link. The link stays. */
async function behindLinks(file: string): Promise<string> {
  return realpath(file).catch(() => path.resolve(file));
}

/**
 * Locks the directory: this leaves no file behind, and the lock survives a new users file. Without `flock` (macOS), two edits at
 * the same time may lose a change.
 */
async function locked<T>(file: string, task: () => Promise<T>): Promise<T> {
  let directory: FileHandle;
  try {
    directory = await open(path.dirname(file), 'r');
  } catch (error) {
    throw new UsersFileError([`the directory of ${file} cannot be opened: ${messageOf(error)}`]);
  }
  try {
    if ((await lockFile(directory, lockSeconds)) === 'busy')
      throw new UsersFileError([`another process has been changing ${file} for ${lockSeconds} s; try again`]);
    return await task();
  } finally {
    await directory.close();
  }
}

/** A file that root makes gets the owner of the directory: otherwise the service could not read it. A crash leaves a file without users. */
async function make(file: string): Promise<void> {
  const { uid, gid } = await stat(path.dirname(file));
  const handle = await open(file, 'wx', 0o600);
  try {
    // Ordinary users may not chown, and own the file already.
    await handle.chown(uid, gid).catch(() => undefined);
    await handle.writeFile(heading);
  } finally {
    await handle.close();
  }
}

/** Removes the temporary files of edits that were killed. It unlinks names only, and follows no links. */
async function removeLeftovers(file: string): Promise<void> {
  const [directory, name] = [path.dirname(file), path.basename(file)];
  for (const entry of await readdir(directory)) {
    const isOurs = entry.startsWith(`${name}.`) && /^[0-9a-f]{16}\.tmp$/.test(entry.slice(name.length + 1));
    if (isOurs) await unlink(path.join(directory, entry)).catch(() => undefined);
  }
}

/** Writes the file, and returns whether it is new. */
async function write(file: string, text: string): Promise<boolean> {
  if (Buffer.byteLength(text) > maxUsersFileBytes)
    throw new UsersFileError([
      `${file} would be larger than ${maxUsersFileBytes / 1024} KiB: remove users, or revoke old tokens`,
    ]);
  try {
    const isNew = !(await exists(file));
    if (isNew) await make(file);
    await removeLeftovers(file);
    // An unpredictable name: in the directory of another user, root must not replace a file of that user.
    const temporary = `${file}.${randomBytes(8).toString('hex')}.tmp`;
    await writeDurably(file, text, (await lstat(file)).mode & 0o777, temporary);
    return isNew;
  } catch (error) {
    throw new UsersFileError([`${file} cannot be written: ${messageOf(error)}`], { cause: error });
  }
}

interface Editing {
  readonly isMadeWhenAbsent: boolean;
  /** The owners whose files are read. */
  readonly rules: { readonly byRoot: boolean };
  /** The name of LAB_API_USER, which no user of the file may have. */
  readonly own?: string | undefined;
}

/** Root may edit the files of the service's user. */
const byCommand: Editing = { isMadeWhenAbsent: false, rules: { byRoot: true } };

/** The service reads the file by its own rules: otherwise it could write one that it does not accept. */
export const byService = (own: string | undefined): Partial<Editing> => ({ rules: { byRoot: false }, own });

async function readOrBegin(file: string, { isMadeWhenAbsent, rules }: Editing): Promise<string> {
  try {
    return await readUsersFile(file, rules);
  } catch (error) {
    const isAbsent = error instanceof UsersFileError && systemCode(error.cause) === 'ENOENT';
    if (!isAbsent || !isMadeWhenAbsent) throw error;
    await checkPlaceOf(file, rules);
    return heading;
  }
}

interface Read extends UsersDocument {
  readonly users: readonly User[];
}

function readText(file: string, text: string, own?: string): Read {
  return naming(file, () => {
    const source = parseYaml(text);
    return { ...source, users: usersFileOf(source, own).users };
  });
}

/** The users of the file. @throws UsersFileError */
export async function usersIn(file: string): Promise<readonly User[]> {
  return readText(file, await readUsersFile(file, byCommand.rules)).users;
}

/** The result of `change`, and the file after it. */
interface Edited<T> {
  readonly result: T;
  readonly users: readonly User[];
  /** Whether the file did not exist before. */
  readonly isNew: boolean;
}

/**
 * Changes a users file, one process at a time: completely or not at all, and durably once it resolves. Its owner, its mode, its
 * comments and its order stay.
 * @throws UsersFileError if the file is invalid, before or after the change, or cannot be written. It is unchanged then.
 */
export async function editUsersFile<T>(
  name: string,
  change: (document: UsersDocument['document']) => T | Promise<T>,
  editing: Partial<Editing> = {},
): Promise<Edited<T>> {
  const how = { ...byCommand, ...editing };
  const file = await behindLinks(name);
  return locked(file, async () => {
    const { document } = readText(file, await readOrBegin(file, how), how.own);
    const result = await change(document);
    const text = document.toString({ lineWidth: 0 });
    const { users } = readText(file, text, how.own);
    return { result, users, isNew: await write(file, text) };
  });
}
