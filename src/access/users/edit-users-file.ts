import { randomBytes } from 'node:crypto';
import { lstat, open, readdir, realpath, stat, unlink, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { exists } from '../../lib/files/exists.ts';
import { lockFile } from '../../lib/files/lock-file.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import type { User } from '../model/user.ts';
import { parseYaml, usersOf, type UsersDocument } from './parse-users.ts';
import { checkPlaceOf, mostBytes, readUsersFile } from './read-users-file.ts';
import { naming, UsersFileError } from './users-file-error.ts';

/** What a new file begins with. */
const heading = `# The users of lab-api besides that of LAB_API_USER: docs/access.md.
users: []
`;

/** How long another editor may take. */
const lockSeconds = 30;

/** Root keeps the files of the service's user in order, too. */
const readable = { byRoot: true };

/** The file itself behind a symbolic link, which stays. */
async function behindLinks(file: string): Promise<string> {
  return realpath(file).catch(() => path.resolve(file));
}

/**
 * The lock is on the directory: it leaves no file behind, and whoever replaces the users file does not take the lock with it.
 * Where there is no `flock` (macOS), two at once may lose a change.
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
      throw new UsersFileError([`somebody else has been changing ${file} for ${lockSeconds} s; try again`]);
    return await task();
  } finally {
    await directory.close();
  }
}

/** What root makes belongs to whoever has the directory, else the service could not read it. A crash leaves a file without users. */
async function make(file: string): Promise<void> {
  const { uid, gid } = await stat(path.dirname(file));
  const handle = await open(file, 'wx', 0o600);
  try {
    // Refused to ordinary users, whose file it is already.
    await handle.chown(uid, gid).catch(() => undefined);
    await handle.writeFile(heading);
  } finally {
    await handle.close();
  }
}

/** Takes away what an edit left that was killed. Names alone: whatever stands there by now, nothing behind it is touched. */
async function removeLeftovers(file: string): Promise<void> {
  const [directory, name] = [path.dirname(file), path.basename(file)];
  for (const entry of await readdir(directory)) {
    const isOurs = entry.startsWith(`${name}.`) && /^[0-9a-f]{16}\.tmp$/.test(entry.slice(name.length + 1));
    if (isOurs) await unlink(path.join(directory, entry)).catch(() => undefined);
  }
}

/** Whether the file is new. */
async function write(file: string, text: string): Promise<boolean> {
  if (Buffer.byteLength(text) > mostBytes)
    throw new UsersFileError([`${file} would be larger than ${mostBytes / 1024} KiB`]);
  try {
    const isNew = !(await exists(file));
    if (isNew) await make(file);
    await removeLeftovers(file);
    // Of a name that nobody foresees: in a directory of somebody else, root must not clear away what stands there.
    const temporary = `${file}.${randomBytes(8).toString('hex')}.tmp`;
    await writeDurably(file, text, (await lstat(file)).mode & 0o777, temporary);
    return isNew;
  } catch (error) {
    throw new UsersFileError([`${file} cannot be written: ${messageOf(error)}`], { cause: error });
  }
}

async function textOf(file: string, isMadeWhenAbsent: boolean): Promise<string> {
  try {
    return await readUsersFile(file, readable);
  } catch (error) {
    const isAbsent = error instanceof UsersFileError && systemCode(error.cause) === 'ENOENT';
    if (!isAbsent || !isMadeWhenAbsent) throw error;
    await checkPlaceOf(file, readable);
    return heading;
  }
}

interface Read extends UsersDocument {
  readonly users: readonly User[];
}

function readText(file: string, text: string): Read {
  return naming(file, () => {
    const source = parseYaml(text);
    return { ...source, users: usersOf(source) };
  });
}

/** The users of the file. @throws UsersFileError */
export async function usersIn(file: string): Promise<readonly User[]> {
  return readText(file, await readUsersFile(file, readable)).users;
}

/** What becomes of a file, and what `change` gave. */
interface Edited<T> {
  readonly result: T;
  readonly users: readonly User[];
  /** Whether there was no such file before. */
  readonly isNew: boolean;
}

interface EditOptions {
  readonly isMadeWhenAbsent?: boolean;
}

/**
 * Changes a users file while nobody else does so with this function: whole or not at all, for good once it resolves. Its owner, its mode, its
 * comments and its order stay.
 * @throws UsersFileError when it is not in order, before or after the change, or cannot be written; it is then as it was.
 */
export async function editUsersFile<T>(
  name: string,
  change: (document: UsersDocument['document']) => T,
  { isMadeWhenAbsent = false }: EditOptions = {},
): Promise<Edited<T>> {
  const file = await behindLinks(name);
  return locked(file, async () => {
    const { document } = readText(file, await textOf(file, isMadeWhenAbsent));
    const result = change(document);
    const text = document.toString({ lineWidth: 0 });
    const { users } = readText(file, text);
    return { result, users, isNew: await write(file, text) };
  });
}
