import { AppError } from '../../lib/app-error.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import { formatSize } from '../../lib/text/size.ts';
import type { WorkspaceSizes } from './workspace-sizes.ts';

/** Between two looks at the free space, an upload writes as much as this. */
const bytesPerLook = 16 * 1024 * 1024;

interface RoomLimits {
  readonly maxTotalBytes: number;
  readonly minFreeBytes: number;
}

/** The room of all workspaces together: each upload takes what it needs bit by bit, so that two at once cannot both take the rest. */
export class WorkspaceRoom {
  readonly #directory: () => string;
  readonly #limits: RoomLimits;
  readonly #sizes: Pick<WorkspaceSizes, 'totalBytes' | 'bytesOf'>;
  #incomingBytes = 0;

  constructor(
    directory: () => string,
    limits: RoomLimits,
    sizes: Pick<WorkspaceSizes, 'totalBytes' | 'bytesOf'>,
  ) {
    this.#directory = directory;
    this.#limits = limits;
    this.#sizes = sizes;
  }

  /** @throws AppError `disk-full`. */
  async assertFreeDisk(): Promise<void> {
    const free = await freeDiskBytes(this.#directory());
    const floor = this.#limits.minFreeBytes;
    if (free === undefined || free >= floor) return;
    const message = `only ${formatSize(free)} are free for workspaces, less than the floor of ${formatSize(floor)}`;
    throw new AppError('disk-full', message, { retryAfterSeconds: 60 });
  }

  /** The part of an upload; `replaced` is the workspace whose files go when it is done. */
  open(replaced?: string): UploadRoom {
    let [taken, unlooked] = [0, 0];
    return {
      take: async (bytes) => {
        taken += bytes;
        this.#incomingBytes += bytes;
        const { maxTotalBytes } = this.#limits;
        const kept = this.#sizes.totalBytes - (replaced === undefined ? 0 : this.#sizes.bytesOf(replaced));
        if (kept + this.#incomingBytes > maxTotalBytes)
          throw new AppError(
            'quota-exceeded',
            `all workspaces together may have ${formatSize(maxTotalBytes)} (LAB_API_MAX_ALL_WORKSPACES_SIZE); remove some`,
          );
        unlooked += bytes;
        if (unlooked < bytesPerLook) return;
        unlooked = 0;
        await this.assertFreeDisk();
      },
      close: () => {
        this.#incomingBytes -= taken;
        taken = 0;
      },
    };
  }
}

export interface UploadRoom {
  /** @throws AppError `quota-exceeded`, `disk-full`. */
  readonly take: (bytes: number) => Promise<void>;
  /** To be called when the upload has failed, or its bytes are in the size of a workspace; a second call does nothing. */
  readonly close: () => void;
}
