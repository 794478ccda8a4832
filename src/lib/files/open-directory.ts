/**
 * A directory that is held open, and whose files are reached through it: when another program replaces its name by a link
 * or a mount meanwhile, all operations still use the opened directory. Node has no openat(2); a path that
 * begins with `/proc/self/fd/N` comes to the same. Where there is no `/proc`, the names have to do.
 */
import { constants, type Dirent, type Stats } from 'node:fs';
import { open, readdir, readFile, readlink, realpath, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { NotPlainFile } from './plain-file.ts';
import { hasProcFs } from '../processes/processes.ts';

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const fileFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The `error` of a directory in which another file system, or another part of this one, is mounted. */
export class MountedDirectory extends Error {
  override readonly name = 'MountedDirectory';
}

/** Which mount an open file is in (proc(5), `fdinfo`): a bind mount of the same disk has another number too. */
async function mountOf(handle: FileHandle): Promise<string> {
  if (!hasProcFs) return '';
  return /^mnt_id:\s*(\d+)$/m.exec(await readFile(`/proc/self/fdinfo/${handle.fd}`, 'utf8'))?.[1] ?? '';
}

export class OpenDirectory {
  readonly #handle: FileHandle;
  readonly #mount: string;
  readonly #path: string;

  private constructor(handle: FileHandle, mount: string, name: string) {
    this.#handle = handle;
    this.#mount = mount;
    this.#path = hasProcFs ? `/proc/self/fd/${handle.fd}` : name;
  }

  /** The caller closes it. @throws Error of open(2): ENOTDIR or ELOOP for a link. */
  static async open(name: string): Promise<OpenDirectory> {
    const handle = await open(name, directoryFlags);
    try {
      return new OpenDirectory(handle, await mountOf(handle), name);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** As `open`; no part of the name may be a link. @throws Error of open(2), also ELOOP when it leads elsewhere. */
  static async openReal(name: string): Promise<OpenDirectory> {
    const opened = await OpenDirectory.open(name);
    const real = await (hasProcFs ? readlink(opened.#path) : realpath(name)).catch(() => undefined);
    if (real === name) return opened;
    await opened.close();
    throw Object.assign(new Error(`${name} leads through a link`), { code: 'ELOOP' });
  }

  /** A path to `name` in the opened directory, for calls that take a path and do not follow its last part. */
  at(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/'))
      throw new Error(`not the name of one entry: ${name}`);
    return path.join(this.#path, name);
  }

  /** Sorted by name. */
  async entries(): Promise<Dirent[]> {
    const found = await readdir(`${this.#path}/`, { withFileTypes: true });
    return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** A directory in this one. @throws Error of open(2), MountedDirectory when something is mounted there. */
  async directory(name: string): Promise<OpenDirectory> {
    return this.#ofSameMount(await OpenDirectory.open(this.at(name)), name);
  }

  /** The directory that this one is in now. @throws Error of open(2), MountedDirectory when this one is where a mount begins. */
  async above(): Promise<OpenDirectory> {
    return this.#ofSameMount(await OpenDirectory.open(`${this.#path}/..`), '..');
  }

  async #ofSameMount(opened: OpenDirectory, name: string): Promise<OpenDirectory> {
    if (opened.#mount === this.#mount) return opened;
    await opened.close();
    throw new MountedDirectory(`something is mounted in the directory ${name}`);
  }

  /**
   * A file in this directory, for reading. A pipe is not waited for. A file with a second name is refused as a link is: it
   * may belong to another user. @throws Error of open(2), NotPlainFile.
   */
  async file(name: string): Promise<FileHandle> {
    const handle = await open(this.at(name), fileFlags);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.nlink > 1) throw new NotPlainFile(`${name} is not a plain file`);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async stat(): Promise<Stats> {
    return this.#handle.stat();
  }

  /** The same for two that are one directory. */
  async identity(): Promise<string> {
    const { dev, ino } = await this.#handle.stat({ bigint: true });
    return `${dev}:${ino}`;
  }

  async giveTo({ uid, gid }: { readonly uid: number; readonly gid: number }): Promise<void> {
    await this.#handle.chown(uid, gid);
  }

  /** Puts the names in it on disk for good. */
  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/**
 * Goes down from `top` to the directory that `parts` name, and calls `use` with it while it is open. Closes `top` as well.
 * @throws Error of open(2), MountedDirectory.
 */
export async function withDirectory<T>(
  top: OpenDirectory,
  parts: readonly string[],
  use: (directory: OpenDirectory) => Promise<T>,
): Promise<T> {
  let current = top;
  try {
    for (const part of parts) {
      const next = await current.directory(part);
      await current.close();
      current = next;
    }
    return await use(current);
  } finally {
    await current.close();
  }
}

/** Yields the `entries`, and closes the directory when the caller stops. */
export async function* withOpened<T>(
  directory: OpenDirectory,
  entries: () => AsyncIterable<T>,
): AsyncGenerator<T, void, void> {
  try {
    yield* entries();
  } finally {
    await directory.close();
  }
}
