import { open } from 'node:fs/promises';
import { AppError } from '../../lib/app-error.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import { formatSize } from '../../lib/text/size.ts';

/** In bytes. */
export interface ImageLimits {
  /** Of all images together. */
  readonly maxBytes: number;
  /** How much of the disk stays free. */
  readonly minFreeBytes: number;
}

/** The free space of the disk is read again after so many bytes. */
const stepBytes = 64 * 1024 * 1024;

/** A block of the usual file systems: a file, a directory or a long link takes one at least. */
export const entryBytes = 4096;

export function overQuota({ maxBytes }: ImageLimits, usedByOthers: number): AppError {
  const [limit, used] = [formatSize(maxBytes), formatSize(usedByOthers)];
  return new AppError(
    'quota-exceeded',
    `all images together would have more than ${limit} (LAB_API_MAX_ALL_IMAGES_SIZE, or --max-size); the others have ${used}`,
  );
}

/** How much may still be written. */
export class Room {
  readonly #directory: string;
  readonly #usedBefore: number;
  readonly #limits: ImageLimits;
  /** Taken so far. */
  bytes = 0;
  #next = 0;

  /** `usedBefore`: by the other images. */
  constructor(directory: string, usedBefore: number, limits: ImageLimits) {
    this.#directory = directory;
    this.#usedBefore = usedBefore;
    this.#limits = limits;
  }

  /** Writes a new file. `onPiece` gets each piece. @throws AppError as `take`; what `content` throws; Error of the system. */
  async write(
    file: string,
    content: AsyncIterable<Uint8Array>,
    onPiece: (piece: Uint8Array) => void = () => undefined,
  ): Promise<void> {
    const handle = await open(file, 'wx', 0o600);
    try {
      for await (const piece of content) {
        await this.take(piece.length);
        onPiece(piece);
        await handle.writeFile(piece);
      }
    } finally {
      await handle.close();
    }
  }

  /** @throws AppError `quota-exceeded`, `disk-full`. */
  async take(bytes: number): Promise<void> {
    this.bytes += bytes;
    if (this.#usedBefore + this.bytes > this.#limits.maxBytes)
      throw overQuota(this.#limits, this.#usedBefore);
    if (this.bytes < this.#next) return;
    this.#next = this.bytes + stepBytes;
    const free = (await freeDiskBytes(this.#directory)) ?? Infinity;
    if (free < this.#limits.minFreeBytes)
      throw new AppError(
        'disk-full',
        `${formatSize(free)} are free where ${this.#directory} is, less than LAB_API_MIN_FREE_DISK or --min-free: the image was not added`,
      );
  }
}
