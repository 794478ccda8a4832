/** Brings the files of a lab, and what is added to them, into the archive of a snapshot. */
import { open } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { foldedPath, readPath } from '../../lib/archives/entry-path.ts';
import { packArchive, type PackItem } from '../../lib/archives/pack.ts';
import { packItems } from '../../lib/archives/pack-items.ts';
import { tooLarge } from '../../lib/archives/unpack-target.ts';
import type { OpenDirectory } from '../../lib/files/open-directory.ts';
import { formatSize } from '../../lib/text/size.ts';
import { configurationsName, topologyName } from './snapshot.ts';

/** Files of a lab that is up: netlab refuses to start where its lock is. */
const locks = new Set(['netlab.lock']);
/** The name of the directory of containerlab for a lab: certificates and files of containers, which it makes anew. */
const isOfContainerlab = (name: string): boolean => name.startsWith('clab-');

const leftOutShown = 20;

/** As those of a workspace: the archive is to become one. */
export interface PackLimits {
  readonly maxFileBytes: number;
  readonly maxBytes: number;
  /** Files and directories. */
  readonly maxFiles: number;
}

/** The content of the archive. */
export interface Packed {
  readonly files: number;
  /** Of all files, before they are packed. */
  readonly bytes: number;
  /** Bytes of the archive. */
  readonly size: number;
  readonly leftOut: readonly string[];
  readonly leftOutCount: number;
}

interface PackedFrom {
  /** Of the lab, or of its workspace. */
  readonly top: OpenDirectory;
  /** Of the lab below `top`: relative, empty for `top` itself. */
  readonly directory: string;
  readonly added: OpenDirectory;
  /** Whether the topology is among what is added. */
  readonly addsTopology: boolean;
}

/** Whether a path is one of a lab that runs, or of an earlier snapshot that was restored there. */
function isOwn(
  { path, isDirectory }: Pick<PackItem, 'path' | 'isDirectory'>,
  { directory, addsTopology }: PackedFrom,
): boolean {
  const prefix = directory === '' ? '' : `${directory}/`;
  if (!path.startsWith(prefix)) return false;
  const [first = '', ...below] = path.slice(prefix.length).split('/');
  if (addsTopology && first === topologyName) return true;
  // A file of that name may be the topology.
  if (isOfContainerlab(first)) return isDirectory || below.length > 0;
  return locks.has(first) || first === configurationsName;
}

class Collected {
  readonly #from: PackedFrom;
  readonly #limits: PackLimits;
  readonly #folded = new Set<string>();
  readonly leftOut: string[] = [];
  leftOutCount = 0;
  files = 0;
  bytes = 0;

  constructor(from: PackedFrom, limits: PackLimits) {
    this.#from = from;
    this.#limits = limits;
  }

  async *items(): AsyncGenerator<PackItem, void, void> {
    const { top, added } = this.#from;
    const onLeftOut = (path: string): void => {
      if (!isOwn({ path, isDirectory: false }, this.#from)) this.#leaveOut(path);
    };
    for await (const item of packItems(top, onLeftOut))
      if (!isOwn(item, this.#from) && this.#takes(item)) yield this.#counted(item);
    // The directories above the configurations are in the archive already.
    for await (const item of packItems(added))
      if (!(item.isDirectory && this.#folded.has(foldedPath(item.path))) && this.#takes(item))
        yield this.#counted(item);
  }

  #leaveOut(path: string): void {
    this.leftOutCount += 1;
    if (this.leftOut.length < leftOutShown) this.leftOut.push(path);
  }

  /** Whether a workspace can have it. */
  #takes({ path, isDirectory }: PackItem): boolean {
    const folded = foldedPath(path);
    const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    const isSound = readPath(path).kind === 'path' && !this.#folded.has(folded);
    // Of a directory that is left out, everything is.
    if (!isSound || (above !== '' && !this.#folded.has(foldedPath(above)))) {
      this.#leaveOut(path);
      return false;
    }
    this.#folded.add(folded);
    if (this.#folded.size > this.#limits.maxFiles)
      throw tooLarge('the number of files and directories of the lab', String(this.#limits.maxFiles));
    if (!isDirectory) this.files += 1;
    return true;
  }

  #counted(item: PackItem): PackItem {
    const { maxFileBytes, maxBytes } = this.#limits;
    return {
      ...item,
      open: async () => {
        const handle = await item.open();
        if (handle === undefined) return undefined;
        try {
          const { size } = await handle.stat();
          this.bytes += size;
          if (size > maxFileBytes) throw tooLarge(`the file ${item.path}`, formatSize(maxFileBytes));
          if (this.bytes > maxBytes)
            throw tooLarge('what the directory of the lab has', formatSize(maxBytes));
          return handle;
        } catch (error) {
          await handle.close();
          throw error;
        }
      },
    };
  }
}

interface Target {
  readonly file: string;
  readonly limits: PackLimits;
  /** Told of every piece before it is written. @throws to end it. */
  readonly onBytes: (bytes: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Writes the archive (tar.gz), and has it on disk for good.
 * @throws AppError `payload-too-large`; what `onBytes` throws; FileChanged; Error of the system.
 */
export async function packSnapshot(from: PackedFrom, target: Target): Promise<Packed> {
  const { file, limits, onBytes, signal } = target;
  const collected = new Collected(from, limits);
  let size = 0;
  const handle = await open(file, 'wx', 0o600);
  try {
    const take = async (piece: Buffer): Promise<void> => {
      size += piece.length;
      await onBytes(piece.length);
      await handle.writeFile(piece);
    };
    const output = new Writable({
      signal,
      write: (piece: Buffer, _encoding, done) => {
        take(piece).then(() => done(), done);
      },
    });
    await packArchive('tar.gz', collected.items(), output);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const { files, bytes, leftOut, leftOutCount } = collected;
  return { files, bytes, size, leftOut, leftOutCount };
}
