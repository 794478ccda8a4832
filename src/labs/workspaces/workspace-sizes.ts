/** How much is in workspaces, and how much more may come. */
import { AppError } from '../../lib/app-error.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import { OpenDirectory } from '../../lib/files/open-directory.ts';
import { formatSize } from '../../lib/text/size.ts';
import { walkTree } from '../../lib/files/walk-tree.ts';

export interface WorkspaceSize {
  /** Bytes in its files. */
  readonly size: number;
  readonly files: number;
  /** Files, directories and everything else. */
  readonly entries: number;
  /** When a file or a directory in it was last changed, in ms since 1970. */
  readonly modifiedMs: number;
}

/** @throws Error of the system. */
export async function measureTree(directory: string): Promise<WorkspaceSize> {
  const top = await OpenDirectory.open(directory);
  try {
    let [size, files, entries, modifiedMs] = [0, 0, 0, 0];
    for await (const { kind, stats } of walkTree(top)) {
      entries += 1;
      if (kind === 'file') [size, files] = [size + stats.size, files + 1];
      modifiedMs = Math.max(modifiedMs, stats.mtimeMs);
    }
    return { size, files, entries, modifiedMs };
  } finally {
    await top.close();
  }
}

/** Between two looks at the free space, an upload writes as much as this. */
const bytesPerLook = 16 * 1024 * 1024;

interface RoomLimits {
  readonly maxBytes: number;
  readonly minFreeBytes: number;
}

/** The room of all workspaces together: each upload takes what it needs bit by bit, so that two at once cannot both take the rest. */
export class WorkspaceRoom {
  readonly #directory: () => string;
  readonly #limits: RoomLimits;
  /** As measured last, with what has come in since. */
  #usedBytes = 0;

  constructor(directory: () => string, limits: RoomLimits) {
    this.#directory = directory;
    this.#limits = limits;
  }

  /** Takes a new measurement of the disk, which does not include incoming bytes: `taken` counts those. */
  measured(bytes: number): void {
    this.#usedBytes = bytes + this.#incomingBytes;
  }

  #incomingBytes = 0;

  /** @throws AppError `disk-full`. */
  async assertFreeDisk(): Promise<void> {
    const free = await freeDiskBytes(this.#directory());
    const floor = this.#limits.minFreeBytes;
    if (free === undefined || free >= floor) return;
    const message = `only ${formatSize(free)} are free for workspaces, less than the floor of ${formatSize(floor)}`;
    throw new AppError('disk-full', message, { retryAfterSeconds: 60 });
  }

  /** The part of an upload; `replacedBytes` go when it is done. */
  open(replacedBytes: number): UploadRoom {
    let [taken, unlooked] = [0, 0];
    const count = (bytes: number): void => {
      taken += bytes;
      this.#incomingBytes += bytes;
      this.#usedBytes += bytes;
    };
    return {
      take: async (bytes) => {
        count(bytes);
        const { maxBytes } = this.#limits;
        if (this.#usedBytes - replacedBytes > maxBytes)
          throw new AppError(
            'quota-exceeded',
            `all workspaces together may have ${formatSize(maxBytes)} (LAB_API_MAX_ALL_WORKSPACES_SIZE); remove some`,
          );
        unlooked += bytes;
        if (unlooked < bytesPerLook) return;
        unlooked = 0;
        await this.assertFreeDisk();
      },
      close: (isKept) => {
        this.#incomingBytes -= taken;
        if (!isKept) this.#usedBytes -= taken;
      },
    };
  }
}

export interface UploadRoom {
  /** @throws AppError `quota-exceeded`, `disk-full`. */
  readonly take: (bytes: number) => Promise<void>;
  /** To be called once: whether what was taken stays. */
  readonly close: (isKept: boolean) => void;
}
