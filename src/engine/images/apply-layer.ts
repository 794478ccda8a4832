/**
 * Applies a layer of an image to a directory (image-spec of the Open Container Initiative, layer.md): its files replace
 * those of the layers below, and `.wh.<name>` removes one. The archive may be hostile: nothing outside of the directory
 * is read, written or removed.
 */
import { createHash } from 'node:crypto';
import { chmodSync, lchownSync, linkSync, lutimesSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { systemCode } from '../../lib/app-error.ts';
import { shownPath } from '../../lib/archives/entry-path.ts';
import { isSparse, readTar, type Pieces, type TarEntry } from '../../lib/archives/read-tar.ts';
import { refuse, tooLarge } from '../../lib/archives/unpack-target.ts';
import { decompressed } from './decompressed.ts';
import { directoryInside, makePlain, partsOf, statOf } from './inside-root.ts';
import { entryBytes, type Room } from './room.ts';

const whiteout = '.wh.';
const opaque = '.wh..wh..opq';

/** More than any image in use has. */
const maxEntries = 1_000_000;

/** Of all paths together, which stand in memory. */
const maxNameBytes = 64 * 1024 * 1024;

/** Errors that a strange path causes, in contrast to those of the disk. */
const pathErrors = new Set([
  'ENAMETOOLONG',
  'ENOTDIR',
  'EISDIR',
  'ELOOP',
  'EMLINK',
  'EINVAL',
  'EEXIST',
  'ENOENT',
  'ERR_INVALID_ARG_VALUE',
  'ERR_OUT_OF_RANGE',
]);

const isOwn = process.getuid?.() !== 0;

/** Root of a container or a user namespace may lack the right to do it, or the user: then the file is root's. */
function setOwner(place: string, uid: number, gid: number): void {
  try {
    lchownSync(place, uid, gid);
  } catch (error) {
    if (!['EPERM', 'EINVAL'].includes(systemCode(error) ?? '')) throw error;
  }
}

/** The root file system of an image while its layers are applied, one after the other. */
export class ImageRoot {
  readonly directory: string;
  readonly #room: Room;
  #entries = 0;
  #nameBytes = 0;

  /** `directory` is empty, and no other program writes to it. */
  constructor(directory: string, room: Room) {
    this.directory = directory;
    this.#room = room;
  }

  /**
   * Applies the layer with the SHA-256 `diffId` of its tar file.
   * @throws AppError `archive-refused`, `payload-too-large`, `quota-exceeded`, `disk-full`; Error of the system.
   */
  async apply(source: Pieces, diffId: string): Promise<void> {
    const hash = createHash('sha256');
    async function* hashed(): AsyncGenerator<Uint8Array, void, void> {
      for await (const piece of decompressed(source)) {
        hash.update(piece);
        yield piece;
      }
    }
    const made = new Set<string>();
    await readTar([hashed()], 'layer', async (entry) => this.#add(entry, made));
    if (`sha256:${hash.digest('hex')}` !== diffId)
      throw refuse('a layer is damaged: its checksum differs from that in the configuration of the image');
  }

  /** `made` has the places of this layer, which its own whiteouts spare. */
  async #add(entry: TarEntry, made: Set<string>): Promise<void> {
    const { name } = entry.header;
    this.#entries += 1;
    this.#nameBytes += name.length;
    if (this.#entries > maxEntries) throw tooLarge('the number of files of the image', String(maxEntries));
    if (this.#nameBytes > maxNameBytes) throw tooLarge('the names of the files of the image', '64 MiB');
    await this.#room.take(entryBytes);
    const parts = partsOf(name);
    try {
      const [above, last] = [parts.slice(0, -1), parts.at(-1)];
      // Without a name, it is the root directory, which is there.
      if (last?.startsWith(whiteout) === true) this.#remove(above, last, made);
      else if (last !== undefined) await this.#make(entry, above, last, made);
    } catch (error) {
      if (!pathErrors.has(systemCode(error) ?? '')) throw error;
      throw refuse(`${shownPath(name)} cannot be made (${systemCode(error)})`, error);
    }
    entry.resume();
  }

  #remove(above: readonly string[], last: string, made: ReadonlySet<string>): void {
    const removed = last.slice(whiteout.length);
    if (['', '.', '..'].includes(removed)) throw refuse(`${shownPath(last)} removes nothing that it may`);
    const directory = directoryInside(this.directory, above, false);
    if (directory === undefined) return;
    if (last === opaque) {
      this.#empty(directory, made);
      return;
    }
    // Others that begin with `.wh..wh.` are notes of a program that made the layer.
    if (removed.startsWith(whiteout)) return;
    rmSync(path.join(directory, removed), { recursive: true, force: true });
  }

  /** Removes everything in a directory that this layer did not make. */
  #empty(directory: string, made: ReadonlySet<string>): void {
    for (const name of readdirSync(directory)) {
      const place = path.join(directory, name);
      if (!made.has(place)) rmSync(place, { recursive: true, force: true });
      else if (statOf(place)?.isDirectory() === true) this.#empty(place, made);
    }
  }

  async #make(entry: TarEntry, above: readonly string[], last: string, made: Set<string>): Promise<void> {
    const { header } = entry;
    const { type } = header;
    const linkname = header.linkname ?? '';
    // tar-stream does not know the types of sparse files and others.
    if (isSparse(header) || (type as string | null) === null)
      throw refuse(`${shownPath(header.name)} is a sparse file, or of an unknown type`);
    const place = path.join(directoryInside(this.directory, above, true) ?? '', last);
    const before = statOf(place);
    const staysDirectory = type === 'directory' && before?.isDirectory() === true;
    // A link to itself must not remove what it links to.
    const target = type === 'link' ? this.#linkTarget(linkname) : undefined;
    if (target === place) return;
    if (before !== undefined && !staysDirectory) rmSync(place, { recursive: true, force: true });
    if (type === 'directory') {
      if (!staysDirectory) makePlain(place);
    } else if (type === 'file' || type === 'contiguous-file') {
      await this.#room.write(place, entry);
    } else if (type === 'symlink') {
      symlinkSync(linkname, place);
    } else if (target !== undefined) {
      linkSync(target, place);
    } else {
      // Devices and pipes: a node has devices of its own.
      return;
    }
    // With all directories above it: a later whiteout of this layer spares them too.
    for (let at = place; at !== this.directory && !made.has(at); at = path.dirname(at)) made.add(at);
    if (type !== 'link') this.#setMode(place, header);
  }

  #linkTarget(linkname: string): string {
    const parts = partsOf(linkname);
    const directory = directoryInside(this.directory, parts.slice(0, -1), false);
    const place = directory && path.join(directory, parts.at(-1) ?? '');
    const stats = place === undefined ? undefined : statOf(place);
    if (place === undefined || stats === undefined || stats.isDirectory())
      throw refuse(`a hard link leads to ${shownPath(linkname)}, which is no file of the image`);
    return place;
  }

  /** An ordinary user owns all files of the image, and can read and remove them whatever their modes. */
  #setMode(place: string, { type, mode, uid, gid, mtime }: TarEntry['header']): void {
    if (!isOwn) setOwner(place, uid, gid);
    if (type !== 'symlink') {
      const least = type === 'directory' ? 0o700 : 0o400;
      chmodSync(place, (mode & 0o7777) | (isOwn ? least : 0));
    }
    if (mtime !== undefined && !Number.isNaN(mtime.getTime()) && type !== 'directory')
      lutimesSync(place, mtime, mtime);
  }
}
