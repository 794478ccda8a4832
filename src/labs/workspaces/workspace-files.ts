/** Single files of a workspace. */
import { chmod, lchown, lstat, mkdir, rename, rmdir, unlink, type FileHandle } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import { AppError, fieldError, invalidField, systemCode } from '../../lib/app-error.ts';
import { readPath, shownPath } from '../../lib/archives/entry-path.ts';
import { tooLarge } from '../../lib/archives/unpack-target.ts';
import { MountedDirectory, OpenDirectory, withDirectory } from '../../lib/files/open-directory.ts';
import { NotPlainFile } from '../../lib/files/plain-file.ts';
import { formatSize } from '../../lib/text/size.ts';
import { walkTree } from '../../lib/files/walk-tree.ts';
import { asDiskError } from './disk-error.ts';
import type { FileOwner } from './workspace-store.ts';
import { receiveFile, type Body } from './receive.ts';
import { noSuchWorkspace } from './workspace-places.ts';
import type { MayChange } from './workspace.ts';
import type { Workspaces } from './workspaces.ts';

export interface FileEntry {
  /** Below the workspace. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  readonly modifiedAt: string;
}

/** More are not listed at once: a lab may make any number of files, and paths of any length. */
const listedEntries = 10_000;
const listedPathBytes = 64 * 1024 * 1024;

/** Looks at the entity tag of what is there, undefined when nothing is. @throws AppError `precondition-failed`. */
type Precondition = (etag: string | undefined) => void;

export interface WriteConditions {
  readonly check: Precondition;
  readonly mayChange?: MayChange;
}

/** An entity tag that changes with the bytes: replacing or writing a file changes its inode or its times. */
export function fileETag({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `"${[ino, size, mtimeNs, ctimeNs].map((number) => number.toString(36)).join('-')}"`;
}

function noSuchFile(path: string): AppError {
  return fieldError('file-not-found', 'path', `there is no file ${shownPath(path)}`);
}

function partsOf(path: string): readonly string[] {
  const reading = readPath(path);
  if (reading.kind === 'path') return reading.parts;
  throw invalidField('path', `${shownPath(path)} ${reading.why}`);
}

function isMissing(error: unknown): boolean {
  const isOther = error instanceof NotPlainFile || error instanceof MountedDirectory;
  return isOther || ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(systemCode(error) ?? '');
}

export class WorkspaceFiles {
  readonly #workspaces: Workspaces;

  constructor(workspaces: Workspaces) {
    this.#workspaces = workspaces;
  }

  /**
   * The sorted entries of a directory of a workspace, at most 10,000 with 64 MiB of paths. The empty path stands for the whole workspace.
   * @throws AppError `workspace-not-found`, `file-not-found`.
   */
  async list(
    name: string,
    path: string,
    isRecursive: boolean,
  ): Promise<{ readonly entries: readonly FileEntry[]; readonly isCut: boolean }> {
    const parts = partsOf(path);
    return this.#below({ name, path }, parts, async (directory) => {
      const entries: FileEntry[] = [];
      let pathBytes = 0;
      const prefix = parts.length === 0 ? '' : `${parts.join('/')}/`;
      for await (const found of walkTree(directory, () => isRecursive, prefix)) {
        pathBytes += Buffer.byteLength(found.path);
        if (entries.length === listedEntries || pathBytes > listedPathBytes) return { entries, isCut: true };
        const { kind, stats } = found;
        const size = kind === 'file' ? stats.size : 0;
        entries.push({ path: found.path, kind, size, modifiedAt: stats.mtime.toISOString() });
      }
      return { entries, isCut: false };
    });
  }

  /** A file for reading; the caller closes it. @throws AppError `workspace-not-found`, `file-not-found`. */
  async open(name: string, path: string): Promise<FileHandle> {
    const parts = partsOf(path);
    const file = parts.at(-1);
    if (file === undefined) throw noSuchFile(path);
    const above = parts.slice(0, -1);
    const handle = await this.#below({ name, path }, above, async (directory) => directory.file(file));
    this.#workspaces.uses.note(name);
    return handle;
  }

  /**
   * Replaces a file, or makes it and the directories above it. The old file stays until the new one is complete.
   * @throws AppError `workspace-not-found`, `precondition-failed`, `payload-too-large` and others.
   */
  async write(
    name: string,
    path: string,
    body: Body,
    { check, mayChange = () => undefined }: WriteConditions,
  ): Promise<{ readonly etag: string; readonly isNew: boolean }> {
    const parts = partsOf(path);
    const file = parts.at(-1);
    if (file === undefined) throw invalidField('path', 'must name a file');
    mayChange();
    const { store, limits, room, sizes, uses } = this.#workspaces;
    await room.assertFreeDisk();
    check(await this.#etagOf(name, parts));
    // Before the body, too: the upload may take long, and the workspace must not go meanwhile.
    uses.note(name);
    const taken = room.open({ owner: this.#workspaces.ownerOf(name) });
    const token = await store.makeIncoming();
    try {
      const incoming = store.incomingFile(token);
      const size = await receiveFile(body, incoming, taken, {
        what: `the file ${shownPath(path)}`,
        maxBytes: limits.maxFileBytes,
      });
      if (store.owner) await lchown(incoming, store.owner.uid, store.owner.gid);
      return await this.#workspaces.turn(name, async () => {
        mayChange();
        await this.#assertRoom(name, parts.length, size);
        // Before the file is there: the files of a repository take the place of those of a repository alone.
        if (store.record(name)?.source) await store.change(name, { source: undefined });
        const top = await OpenDirectory.open(this.#workspaces.directoryOf(name));
        const { directory, made } = await makeWay(top, parts.slice(0, -1), store.owner);
        try {
          const { etag, replacedBytes } = await putInPlace(incoming, directory, file, check);
          const isNew = replacedBytes === undefined;
          taken.close();
          uses.note(name);
          const files = isNew ? 1 : 0;
          sizes.noteChange(name, { size: size - (replacedBytes ?? 0), files, entries: made + files });
          return { etag, isNew };
        } finally {
          await directory.close();
        }
      });
    } catch (error) {
      if (!isMissing(error)) throw asDiskError(error);
      // Removed during the upload.
      if (!(await store.exists(name))) throw noSuchWorkspace(name);
      throw invalidField('path', `${shownPath(path)} leads through something that is no directory`);
    } finally {
      taken.close();
      await store.dropIncoming(token);
    }
  }

  /** Removes a file, or an empty directory. @throws AppError `workspace-not-found`, `file-not-found`, `precondition-failed`. */
  async remove(
    name: string,
    path: string,
    { check, mayChange = () => undefined }: WriteConditions,
  ): Promise<void> {
    const parts = partsOf(path);
    const file = parts.at(-1);
    if (file === undefined)
      throw invalidField('path', 'must name a file; DELETE the workspace itself for all of them');
    await this.#workspaces.turn(name, async () => {
      mayChange();
      const top = await OpenDirectory.open(this.#workspaces.directoryOf(name)).catch((error: unknown) => {
        throw isMissing(error) ? noSuchWorkspace(name) : error;
      });
      await withDirectory(top, parts.slice(0, -1), async (directory) => {
        const found = await lstat(directory.at(file), { bigint: true });
        check(found.isFile() ? fileETag(found) : undefined);
        await (found.isDirectory() ? rmdir(directory.at(file)) : unlink(directory.at(file)));
        this.#workspaces.uses.note(name);
        const files = found.isFile() ? -1 : 0;
        this.#workspaces.sizes.noteChange(name, { size: files * Number(found.size), files, entries: -1 });
      }).catch((error: unknown) => {
        if (systemCode(error) === 'ENOTEMPTY')
          throw invalidField(
            'path',
            `${shownPath(path)} is a directory with files in it; remove those first`,
          );
        throw isMissing(error) ? noSuchFile(path) : error;
      });
    });
  }

  /** Calls `use` with a directory of the workspace. A link counts as missing. `path` is for the error alone. */
  async #below<T>(
    { name, path }: { readonly name: string; readonly path: string },
    parts: readonly string[],
    use: (directory: OpenDirectory) => Promise<T>,
  ): Promise<T> {
    const top = await this.#workspaces.openTop(name);
    return withDirectory(top, parts, use).catch((error: unknown) => {
      throw isMissing(error) ? noSuchFile(path) : asDiskError(error);
    });
  }

  async #etagOf(name: string, parts: readonly string[]): Promise<string | undefined> {
    const above = parts.slice(0, -1);
    const found = await this.#below({ name, path: parts.join('/') }, above, async (directory) =>
      statPlain(directory, parts.at(-1) ?? ''),
    ).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'file-not-found') return undefined;
      throw error;
    });
    return found && fileETag(found);
  }

  /** @throws AppError `payload-too-large` when the workspace would be over its limits. */
  async #assertRoom(name: string, newEntries: number, moreBytes: number): Promise<void> {
    const { maxBytes, maxFiles } = this.#workspaces.limits;
    const { size, entries } = await this.#workspaces.sizes.of(name);
    if (size + moreBytes > maxBytes) throw tooLarge('the workspace', formatSize(maxBytes));
    if (entries + newEntries > maxFiles)
      throw tooLarge('the number of files and directories', String(maxFiles));
  }
}

/** The plain file of that name; undefined when there is none. @throws AppError about anything else that is there. */
async function statPlain(directory: OpenDirectory, file: string): Promise<BigIntStats | undefined> {
  const found = await lstat(directory.at(file), { bigint: true }).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined || found.isFile()) return found;
  throw invalidField('path', `${shownPath(file)} is no file, but a directory, a link or something special`);
}

/** Opens the directory of a file that is to be made; those on the way that are missing are made, `made` in number. */
async function makeWay(
  top: OpenDirectory,
  parts: readonly string[],
  owner: FileOwner | undefined,
): Promise<{ readonly directory: OpenDirectory; readonly made: number }> {
  let [current, made] = [top, 0];
  try {
    for (const part of parts) {
      const isNew = await mkdir(current.at(part), { mode: 0o755 }).then(
        () => true,
        (error: unknown) => {
          if (systemCode(error) !== 'EEXIST') throw error;
          return false;
        },
      );
      const next = await current.directory(part);
      // A program that replaced it could do so only with a directory of its own.
      if (isNew && owner) await next.giveTo(owner);
      made += isNew ? 1 : 0;
      await current.close();
      current = next;
    }
    return { directory: current, made };
  } catch (error) {
    await current.close();
    throw error;
  }
}

/** Puts a file that is whole in the place of another one; `replacedBytes` is the size of that, undefined when there was none. */
async function putInPlace(
  incoming: string,
  directory: OpenDirectory,
  file: string,
  check: Precondition,
): Promise<{ readonly etag: string; readonly replacedBytes: number | undefined }> {
  const before = await statPlain(directory, file);
  check(before && fileETag(before));
  if (before && (before.mode & 0o100n) !== 0n) await chmod(incoming, 0o755);
  await rename(incoming, directory.at(file));
  await directory.sync();
  const etag = fileETag(await lstat(directory.at(file), { bigint: true }));
  return { etag, replacedBytes: before && Number(before.size) };
}
