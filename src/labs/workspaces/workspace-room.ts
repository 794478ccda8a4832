import { AppError } from '../../lib/app-error.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import { formatSize } from '../../lib/text/size.ts';
import type { WorkspaceSizes } from './workspace-sizes.ts';
import type { WorkspaceStore } from './workspace-store.ts';

/** Between two looks at the free space, an upload writes as much as this. */
const bytesPerLook = 16 * 1024 * 1024;

interface RoomLimits {
  readonly maxTotalBytes: number;
  readonly minFreeBytes: number;
}

interface Measured {
  readonly limits: RoomLimits;
  readonly sizes: Pick<WorkspaceSizes, 'totalBytes' | 'bytesOf' | 'names' | 'seeAll'>;
  readonly store: Pick<WorkspaceStore, 'names'>;
  /** The owner of a workspace; null if unknown. */
  readonly ownerOf: (name: string) => string | null;
}

export interface UploadQuotas {
  /** Whether there is a limit for the workspaces of the user. */
  readonly limitsWorkspacesOf: (owner: string | null) => boolean;
  /**
   * @param takenBytes What an upload has taken so far, which `bytesByOwner` counts.
   * @param moreBytes How much larger the upload makes the workspaces of the user.
   * @throws AppError `over-quota`.
   */
  readonly assertWithinQuota: (owner: string | null, takenBytes: number, moreBytes: number) => void;
}

interface Upload {
  /** The owner of the workspace that it is for. */
  readonly owner: string | null;
  /** The workspace whose files go when it is done. */
  readonly replaced?: string;
}

/** The room of all workspaces together: each upload takes what it needs bit by bit, so that two at once cannot both take the rest. */
export class WorkspaceRoom {
  readonly #workspaces: Measured;
  readonly #directory: () => string;
  readonly #quotas: UploadQuotas | undefined;
  readonly #incoming = new Map<string | null, number>();
  #incomingBytes = 0;

  constructor(workspaces: Measured, directory: () => string, quotas?: UploadQuotas) {
    this.#workspaces = workspaces;
    this.#directory = directory;
    this.#quotas = quotas;
  }

  /** All bytes in the workspaces of each owner, and in uploads for them. */
  bytesByOwner(): ReadonlyMap<string | null, number> {
    const { sizes, ownerOf } = this.#workspaces;
    const bytes = new Map(this.#incoming);
    for (const name of sizes.names()) {
      const owner = ownerOf(name);
      bytes.set(owner, (bytes.get(owner) ?? 0) + sizes.bytesOf(name));
    }
    return bytes;
  }

  /** @throws AppError `disk-full`. */
  async assertFreeDisk(): Promise<void> {
    const free = await freeDiskBytes(this.#directory());
    const floor = this.#workspaces.limits.minFreeBytes;
    if (free === undefined || free >= floor) return;
    const message = `only ${formatSize(free)} are free for workspaces, less than the floor of ${formatSize(floor)}`;
    throw new AppError('disk-full', message, { retryAfterSeconds: 60 });
  }

  /** The part of an upload. */
  open({ owner, replaced }: Upload): UploadRoom {
    let [taken, unlooked] = [0, 0];
    const { sizes, limits, store } = this.#workspaces;
    const add = (bytes: number): void => {
      taken += bytes;
      this.#incomingBytes += bytes;
      this.#incoming.set(owner, (this.#incoming.get(owner) ?? 0) + bytes);
    };
    return {
      take: async (bytes) => {
        // After a start of the service, those that were not looked at yet would count as nothing.
        if (taken === 0 && this.#quotas?.limitsWorkspacesOf(owner) === true)
          await sizes.seeAll(await store.names());
        const replacedBytes = replaced === undefined ? 0 : sizes.bytesOf(replaced);
        this.#quotas?.assertWithinQuota(owner, taken, taken + bytes - replacedBytes);
        add(bytes);
        const { maxTotalBytes } = limits;
        const kept = sizes.totalBytes - replacedBytes;
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
        add(-taken);
        if (this.#incoming.get(owner) === 0) this.#incoming.delete(owner);
      },
    };
  }
}

export interface UploadRoom {
  /** @throws AppError `quota-exceeded`, `over-quota`, `disk-full`. */
  readonly take: (bytes: number) => Promise<void>;
  /** To be called when the upload has failed, or its bytes are in the size of a workspace; a second call does nothing. */
  readonly close: () => void;
}
