/** The destination of an archive: an empty private directory, and the limits of its content. */
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { AppError, messageOf, systemCode } from '../app-error.ts';
import { Semaphore } from '../async/semaphore.ts';
import { formatSize } from '../text/size.ts';
import { syncDirectory } from '../files/write-durably.ts';
import { foldedPath, readPath, shownPath } from './entry-path.ts';

export interface UnpackLimits {
  readonly maxFileBytes: number;
  readonly maxBytes: number;
  /** Files and directories together. */
  readonly maxEntries: number;
  /** How many times what came in may come out; small archives may have any ratio. */
  readonly maxRatio: number;
}

interface Progress {
  /** Told of every piece before it is written. @throws to end it. */
  readonly onBytes: (bytes: number) => void | Promise<void>;
}

const directoryMode = 0o755;
const [fileMode, programMode] = [0o644, 0o755];

/** A disk puts the ends of some files away together; of all at once, their descriptors would run out. */
const syncsAtOnce = 16;

export function refuse(why: string, cause?: unknown): AppError {
  return new AppError('archive-refused', `the archive is refused: ${why}`, { cause });
}

/**
 * Turns errors of the archive library and of zlib into a refusal of the archive. Returns errors with another code, of the
 * disk or the client, unchanged.
 */
export function asRefusal(error: unknown, format: string): unknown {
  const code = systemCode(error) ?? '';
  const isOfArchive = !(error instanceof AppError) && (code === '' || code.startsWith('Z_'));
  return isOfArchive ? refuse(`it is no sound ${format}: ${messageOf(error)}`, error) : error;
}

export function tooLarge(what: string, limit: string): AppError {
  return new AppError('payload-too-large', `${what} is over the limit of ${limit}`);
}

export class UnpackTarget {
  readonly #root: string;
  readonly limits: UnpackLimits;
  readonly #progress: Progress;
  /** By its folded path: what stands there. */
  readonly #known = new Map<string, { readonly path: string; readonly isDirectory: boolean }>();
  readonly #syncs = new Semaphore(syncsAtOnce);
  #syncing: Promise<void> = Promise.resolve();
  #bytes = 0;

  /** `root` is an empty directory that no other program writes to. */
  constructor(root: string, limits: UnpackLimits, progress: Progress) {
    this.#root = root;
    this.limits = limits;
    this.#progress = progress;
  }

  /** @throws AppError `archive-refused`, `payload-too-large`. */
  async addDirectory(name: string): Promise<void> {
    await this.#enter(this.#partsOf(name));
  }

  /** @throws AppError `archive-refused`, `payload-too-large`; what reading `content` throws. */
  async addFile(name: string, content: AsyncIterable<Uint8Array>, isProgram: boolean): Promise<void> {
    const parts = this.#partsOf(name);
    if (parts.length === 0) throw refuse(`it has a file with the path ${shownPath(name)}`);
    await this.#enter(parts.slice(0, -1));
    const file = this.#claim(parts, false);
    // Made anew, always: what is there already is refused, and nothing is followed.
    const handle = await open(file, 'wx', isProgram ? programMode : fileMode);
    try {
      let size = 0;
      for await (const piece of content) {
        size += piece.length;
        await this.#count(piece.length, size, name);
        await handle.writeFile(piece);
      }
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#syncLater(async () => {
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
  }

  /** Resolves when all of it is on disk for good. */
  async finish(): Promise<void> {
    await this.#syncing;
    const directories = [...this.#known.values()].filter(({ isDirectory }) => isDirectory);
    for (const { path: name } of directories) await syncDirectory(path.join(this.#root, name));
    await syncDirectory(this.#root);
  }

  /** How much was unpacked; `entries` are files and directories. */
  amount(): { readonly size: number; readonly files: number; readonly entries: number } {
    const files = [...this.#known.values()].filter(({ isDirectory }) => !isDirectory);
    return { size: this.#bytes, files: files.length, entries: this.#known.size };
  }

  /** Waits until nothing is written any more, whatever became of it. Never rejects. */
  async settle(): Promise<void> {
    await this.#syncing.catch(() => undefined);
  }

  #partsOf(name: string): readonly string[] {
    const reading = readPath(name);
    if (reading.kind === 'path') return reading.parts;
    throw refuse(`the path ${shownPath(name)} ${reading.why}`);
  }

  /** Makes the directory and those above it, unless they are there. */
  async #enter(parts: readonly string[]): Promise<void> {
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const above = parts.slice(0, depth);
      const known = this.#known.get(foldedPath(above.join('/')));
      if (known?.isDirectory && known.path === above.join('/')) continue;
      await mkdir(this.#claim(above, true), { mode: directoryMode });
    }
  }

  /** Notes that something is about to be made there; where that is. */
  #claim(parts: readonly string[], isDirectory: boolean): string {
    const name = parts.join('/');
    const earlier = this.#known.get(foldedPath(name));
    if (earlier?.path === name) throw refuse(`the path ${shownPath(name)} stands in it twice`);
    if (earlier !== undefined)
      throw refuse(
        `${shownPath(name)} and ${shownPath(earlier.path)} are one path on systems that do not tell capitals or accents apart`,
      );
    this.#known.set(foldedPath(name), { path: name, isDirectory });
    if (this.#known.size > this.limits.maxEntries)
      throw tooLarge('the number of files and directories', String(this.limits.maxEntries));
    return path.join(this.#root, ...parts);
  }

  async #count(bytes: number, size: number, name: string): Promise<void> {
    const { maxFileBytes, maxBytes } = this.limits;
    this.#bytes += bytes;
    if (size > maxFileBytes) throw tooLarge(`the file ${shownPath(name)}`, formatSize(maxFileBytes));
    if (this.#bytes > maxBytes) throw tooLarge('what is in the archive', formatSize(maxBytes));
    await this.#progress.onBytes(bytes);
  }

  #syncLater(sync: () => Promise<void>): void {
    const done = this.#syncs.run(sync);
    this.#syncing = Promise.all([this.#syncing, done]).then(() => undefined);
    // `#syncing` is awaited in the end; until then its failure must not count as unhandled.
    this.#syncing.catch(() => undefined);
  }
}
