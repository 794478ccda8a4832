/** Makes snapshots of labs, and keeps them within their limits. */
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Share } from '../../access/model/groups.ts';
import { AppError } from '../../lib/app-error.ts';
import { Semaphore } from '../../lib/async/semaphore.ts';
import { FileChanged } from '../../lib/archives/read-whole.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import { OpenDirectory } from '../../lib/files/open-directory.ts';
import { syncDirectory } from '../../lib/files/write-durably.ts';
import type { Logger } from '../../lib/logger.ts';
import { formatSize } from '../../lib/text/size.ts';
import { asDiskError } from '../workspaces/disk-error.ts';
import type { NodeConfiguration } from '../nodes/lab-nodes.ts';
import { packSnapshot, type Packed, type PackLimits } from './pack-snapshot.ts';
import { keptNodes } from './snapshot-nodes.ts';
import { RestoreTurns } from './restore-turns.ts';
import type { SnapshotPlace, SnapshotStore } from './snapshot-store.ts';
import {
  checkSnapshotName,
  nameTaken,
  configurationsName,
  topologyName,
  type Snapshot,
  type SnapshotNode,
  type SnapshotRecord,
} from './snapshot.ts';

/** They may change. */
export interface SnapshotLimits extends PackLimits {
  /** Of all snapshots, in bytes. */
  readonly maxTotalBytes: number;
  /** That have to stay free on the disk. */
  readonly minFreeBytes: number;
}

/** A lab that runs, for a snapshot. */
export interface SnapshotSource extends Pick<
  SnapshotRecord,
  'lab' | 'cli' | 'workdir' | 'workspace' | 'owner'
> {
  /** Opens the directory to keep: the workspace, or the directory of a lab outside workspaces. The caller closes it. */
  readonly openTop: () => Promise<OpenDirectory>;
  /** Of the lab below that: relative, empty for itself. */
  readonly directory: string;
  readonly start: Readonly<Record<string, unknown>>;
  /** The topology, where no file of the lab has it. */
  readonly topology: string | undefined;
  readonly configurations: () => Promise<readonly NodeConfiguration[]>;
  /** Called in the turn in which the snapshot gets its name. @throws AppError when the lab is not the same any more. */
  readonly assertSame: () => void;
  readonly signal: AbortSignal;
}

interface SnapshotsDeps {
  readonly store: SnapshotStore;
  readonly limits: SnapshotLimits;
  /** Runs `action` while no job is accepted. */
  readonly whileClosed: <T>(action: () => Promise<T>) => Promise<T>;
  readonly log: Logger;
}

/** Each reads many nodes and a directory. */
const atOnce = 4;

/** Between two looks at the free space, an archive gets as much as this. */
const bytesPerLook = 16 * 1024 * 1024;

export class Snapshots {
  readonly restores = new RestoreTurns();
  /** Comparisons use the processor, so they wait for each other. */
  readonly comparisons = new Semaphore(atOnce);
  readonly #store: SnapshotStore;
  readonly #limits: SnapshotLimits;
  readonly #whileClosed: SnapshotsDeps['whileClosed'];
  readonly #log: Logger;
  /** The names of those that are being made. */
  readonly #making = new Set<string>();
  #incomingBytes = 0;

  constructor({ store, limits, whileClosed, log }: SnapshotsDeps) {
    this.#store = store;
    this.#limits = limits;
    this.#whileClosed = whileClosed;
    this.#log = log;
  }

  /**
   * Keeps a lab under a name.
   * @throws AppError `snapshot-exists`, `queue-full`, `conflict`, `payload-too-large`, `quota-exceeded`, `disk-full`,
   * `storage-fault`; what the source throws. Then nothing is kept.
   */
  async make(name: string, source: SnapshotSource): Promise<Snapshot> {
    checkSnapshotName(name);
    if (this.#making.has(name)) throw nameTaken(name);
    if (this.#making.size >= atOnce)
      throw new AppError('queue-full', `${atOnce} snapshots are being made; try again later`, {
        retryAfterSeconds: 10,
      });
    this.#making.add(name);
    try {
      return await this.#make(name, source);
    } catch (error) {
      throw failureOf(error, source.signal);
    } finally {
      this.#making.delete(name);
    }
  }

  /** To be called once, before everything else. @throws Error when the disk refuses. */
  async open(): Promise<void> {
    await this.#store.open();
  }

  /** Newest first. */
  list(): readonly Snapshot[] {
    return this.#store.list();
  }

  get totalBytes(): number {
    return this.#store.totalBytes;
  }

  get(name: string): Snapshot | undefined {
    return this.#store.get(name);
  }

  /** See `SnapshotStore.openArchive`. @throws AppError `snapshot-not-found`, `storage-fault`. */
  async openArchive(name: string): Promise<FileHandle> {
    return this.#store.openArchive(name).catch(rethrow);
  }

  /** See `SnapshotStore.configuration`. @throws AppError `snapshot-not-found`, `storage-fault`. */
  async configuration(snapshot: Snapshot, node: string): Promise<string> {
    return this.#store.configuration(snapshot, node).catch(rethrow);
  }

  /** See `SnapshotStore.setShares`. @throws AppError `snapshot-not-found`, `storage-fault`, `disk-full`; what `check` throws. */
  async share(name: string, shares: readonly Share[], check: () => void): Promise<void> {
    await this.#store.setShares(name, shares, check).catch(rethrow);
    this.#log.info('the access to a snapshot was changed', { snapshot: name, shares });
  }

  /** @throws AppError `snapshot-not-found`, `storage-fault`. */
  async remove(name: string): Promise<void> {
    await this.#store.remove(name).catch(rethrow);
    this.#log.info('a snapshot was removed', { snapshot: name });
  }

  async #make(name: string, source: SnapshotSource): Promise<Snapshot> {
    if (await this.#store.isTaken(name)) throw nameTaken(name);
    await this.#assertFreeDisk();
    const place = await this.#store.makePlace();
    let taken = 0;
    const onBytes = async (bytes: number): Promise<void> => {
      this.#incomingBytes += bytes;
      const looked = Math.floor(taken / bytesPerLook);
      taken += bytes;
      this.#assertQuota();
      if (Math.floor(taken / bytesPerLook) > looked) await this.#assertFreeDisk();
    };
    try {
      const nodes = await this.#addConfigurations(place, source, onBytes);
      const packed = await this.#pack(place, source, onBytes);
      return await this.#whileClosed(async () => {
        source.assertSame();
        const record = recordOf(source, { nodes, packed });
        await this.#store.publish(place, name, record);
        this.#log.info('a snapshot was made', { snapshot: name, lab: record.lab, by: record.owner });
        return { name, ...record };
      });
    } finally {
      this.#incomingBytes -= taken;
      await this.#store.drop(place.token);
    }
  }

  async #addConfigurations(
    { added }: SnapshotPlace,
    source: SnapshotSource,
    onBytes: (bytes: number) => Promise<void>,
  ): Promise<readonly SnapshotNode[]> {
    const read = await source.configurations();
    const nodes = keptNodes(read);
    const ofLab = path.join(added, source.directory);
    const directory = path.join(ofLab, configurationsName);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const write = async (file: string, content: Uint8Array): Promise<void> => {
      await onBytes(content.length);
      const handle = await open(file, 'wx', 0o600);
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
    };
    for (const [at, { node, kept }] of nodes.entries()) {
      const bytes = read[at]?.bytes;
      if (kept === 'configuration' && bytes) await write(path.join(directory, `${node}.cfg`), bytes);
    }
    const { topology } = source;
    if (topology !== undefined) await write(path.join(ofLab, topologyName), Buffer.from(topology));
    await syncDirectory(directory);
    return nodes;
  }

  async #pack(
    { archive, added }: SnapshotPlace,
    { openTop, directory, topology, signal }: SnapshotSource,
    onBytes: (bytes: number) => Promise<void>,
  ): Promise<Packed> {
    const top = await openTop();
    try {
      const own = await OpenDirectory.open(added);
      try {
        const target = { file: archive, limits: this.#limits, onBytes, signal };
        return await packSnapshot(
          { top, directory, added: own, addsTopology: topology !== undefined },
          target,
        );
      } finally {
        await own.close();
      }
    } finally {
      await top.close();
    }
  }

  #assertQuota(): void {
    const { maxTotalBytes } = this.#limits;
    if (this.#store.totalBytes + this.#incomingBytes <= maxTotalBytes) return;
    throw new AppError(
      'quota-exceeded',
      `all snapshots together may have ${formatSize(maxTotalBytes)} (LAB_API_MAX_ALL_SNAPSHOTS_SIZE); remove some`,
    );
  }

  /** @throws AppError `disk-full`. */
  async #assertFreeDisk(): Promise<void> {
    const free = await freeDiskBytes(this.#store.directory);
    const floor = this.#limits.minFreeBytes;
    if (free === undefined || free >= floor) return;
    const message = `only ${formatSize(free)} are free for snapshots, less than the floor of ${formatSize(floor)}`;
    throw new AppError('disk-full', message, { retryAfterSeconds: 60 });
  }
}

/** The error for the client. */
function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof AppError) return error;
  if (signal.aborted)
    return new AppError('shutting-down', 'the request was ended, and nothing is kept', { cause: error });
  if (error instanceof FileChanged)
    return new AppError('conflict', 'a file of the lab was changed while it was read: try again', {
      cause: error,
      retryAfterSeconds: 5,
    });
  return asDiskError(error, 'snapshots');
}

function rethrow(error: unknown): never {
  throw asDiskError(error, 'snapshots');
}

function recordOf(
  { lab, cli, workdir, workspace, owner, directory, start }: SnapshotSource,
  { nodes, packed }: { readonly nodes: readonly SnapshotNode[]; readonly packed: Packed },
): SnapshotRecord {
  const configurations = nodes.reduce((sum, { size }) => sum + (size ?? 0), 0);
  return {
    lab,
    cli,
    workdir,
    workspace,
    directory,
    owner,
    shares: [],
    createdAt: new Date().toISOString(),
    start,
    nodes,
    ...packed,
    size: packed.size + configurations,
  };
}
