/**
 * The use of the disk. The service knows the sizes of jobs and workspaces anyway; it measures images and its own files once a
 * minute at most, for all who ask meanwhile.
 */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DiskUse } from '../http/context.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { Images } from '../labs/images.ts';
import { asDiskError } from '../labs/workspaces/disk-error.ts';
import type { Workspaces } from '../labs/workspaces/workspaces.ts';
import { diskSpace } from '../lib/files/free-disk.ts';
import { fileSizeNow } from '../lib/files/file-size.ts';
import { isInside } from '../lib/files/path-inside.ts';
import { OpenDirectory } from '../lib/files/open-directory.ts';
import { walkTree } from '../lib/files/walk-tree.ts';
import { settledWithin } from '../lib/async/settled-within.ts';

const measuredForMs = 60_000;
/** The service itself makes a few hundred files; others may lie in its home directory, such as those of a lab CLI. */
const mostEntries = 20_000;
const listed = 10;
const mostUsers = 200;
/** A disk that hangs does not say how much is free. */
const diskLimitMs = 5_000;

interface DiskUseDeps {
  readonly dataDir: string;
  readonly auditFile: string | undefined;
  readonly workspaces: Pick<Workspaces, 'store' | 'sizes'>;
  readonly store: Pick<JobStore, 'summaries' | 'unfinished' | 'paths' | 'directory'>;
  readonly images: Pick<Images, 'list'>;
  readonly shutdown: AbortSignal;
  /** In ms since 1970. */
  readonly nowMs?: () => number;
}

interface Measured {
  readonly atMs: number;
  readonly images: number | null;
  readonly state: Files | null;
}

/** Files of a directory, in bytes. */
interface Files {
  readonly size: number;
  /** Not all were counted. */
  readonly isPartial: boolean;
}

interface Sized {
  readonly size: number;
}

const sumOf = (sized: readonly Sized[]): number => sized.reduce((sum, { size }) => sum + size, 0);

/** The largest come first. One pass: there may be a hundred thousand jobs. */
function largestOf<One extends Sized>(all: readonly One[]): readonly One[] {
  let largest: One[] = [];
  for (const one of all) {
    const isLarge = largest.length < listed || one.size > (largest.at(-1)?.size ?? 0);
    if (isLarge) largest = [...largest, one].toSorted((a, b) => b.size - a.size).slice(0, listed);
  }
  return largest;
}

export class DiskUsage {
  readonly #deps: DiskUseDeps;
  readonly #nowMs: () => number;
  #last: Measured | undefined;
  #running: Promise<Measured> | undefined;

  constructor(deps: DiskUseDeps) {
    this.#deps = deps;
    this.#nowMs = deps.nowMs ?? (() => Date.now());
  }

  /** @throws AppError `storage-fault` when the workspaces cannot be listed. */
  async read(): Promise<DiskUse> {
    const { sizes, store } = this.#deps.workspaces;
    const names = await store.names().catch((error: unknown) => {
      throw asDiskError(error);
    });
    const { atMs, images, state } = await this.#lastMeasured();
    const jobs = this.#jobs();
    const workspaces = names.map((name) => {
      return { name, owner: store.record(name)?.owner ?? null, size: sizes.bytesOf(name) };
    });
    const known = { jobs: sumOf(jobs), workspaces: sumOf(workspaces), images, state: state?.size ?? null };
    return {
      measuredAt: new Date(atMs).toISOString(),
      fileSystems: await this.#fileSystems(),
      kinds: (['jobs', 'workspaces', 'images', 'state'] as const).map((kind) => ({
        kind,
        size: known[kind],
        ...(kind === 'state' && state?.isPartial && { partial: true as const }),
      })),
      unmeasuredWorkspaces: names.filter((name) => !sizes.isKnown(name)).length,
      users: usersOf(jobs, workspaces),
      largestWorkspaces: largestOf(workspaces),
      largestJobs: largestOf(jobs),
    };
  }

  #jobs(): DiskUse['largestJobs'] {
    const { store } = this.#deps;
    const running = new Map(
      store.unfinished().flatMap(({ id, state }) => {
        return state === 'queued' ? [] : [[id, fileSizeNow(store.paths(id).log) ?? 0] as const];
      }),
    );
    return store.summaries().map(({ id, action, requestedBy, size }) => {
      return { id, action, requestedBy, size: running.get(id) ?? size };
    });
  }

  /** The file system of the data directory, and the file system of the workspaces if it is another one. */
  async #fileSystems(): Promise<DiskUse['fileSystems']> {
    const { dataDir, workspaces } = this.#deps;
    const devices = new Set<number | undefined>();
    const found: DiskUse['fileSystems'][number][] = [];
    for (const directory of [dataDir, workspaces.store.directory]) {
      const device = (await settledWithin(stat(directory), diskLimitMs))?.dev;
      if (devices.has(device)) continue;
      devices.add(device);
      const space = await settledWithin(diskSpace(directory), diskLimitMs);
      found.push({ directory, free: space?.free ?? null, total: space?.total ?? null });
    }
    return found;
  }

  async #lastMeasured(): Promise<Measured> {
    const last = this.#last;
    if (last && Math.abs(this.#nowMs() - last.atMs) < measuredForMs) return last;
    this.#running ??= this.#measure().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Never rejects. */
  async #measure(): Promise<Measured> {
    const [images, state] = await Promise.all([
      this.#deps.images.list(this.#deps.shutdown).then(sumOf, () => null),
      this.#stateSize().catch(() => null),
    ]);
    return (this.#last = { atMs: this.#nowMs(), images, state });
  }

  /** The rest of the data directory, what is on its way to the workspaces or erased there, and the audit. */
  async #stateSize(): Promise<Files> {
    const { auditFile, store, workspaces, shutdown } = this.#deps;
    const [dataDir, jobs] = await Promise.all([realpath(this.#deps.dataDir), realpath(store.directory)]);
    const left = [jobs, workspaces.store.directory];
    const own = await filesBelow(workspaces.store.ownDirectory, () => true, shutdown);
    const rest = await filesBelow(dataDir, (name) => !left.includes(path.join(dataDir, name)), shutdown);
    const audit =
      auditFile !== undefined && !isInside(dataDir, await realPlaceOf(auditFile)) ? auditFile : undefined;
    const auditSize = audit === undefined ? 0 : (fileSizeNow(audit) ?? 0);
    return { size: own.size + rest.size + auditSize, isPartial: own.isPartial || rest.isPartial };
  }
}

/** The file itself is no link, but its directory may be one, or be below one. */
async function realPlaceOf(file: string): Promise<string> {
  const directory = await realpath(path.dirname(file)).catch(() => path.dirname(file));
  return path.join(directory, path.basename(file));
}

/** The files of a directory and of those that `goesInto`. A link is not followed. @throws Error of the system. */
async function filesBelow(
  directory: string,
  goesInto: (path: string) => boolean,
  signal: AbortSignal,
): Promise<Files> {
  const top = await OpenDirectory.open(directory);
  try {
    let [size, entries] = [0, 0];
    for await (const { kind, stats } of walkTree(top, goesInto)) {
      if (entries === mostEntries || signal.aborted) return { size, isPartial: true };
      entries += 1;
      if (kind === 'file') size += stats.size;
    }
    return { size, isPartial: false };
  } finally {
    await top.close();
  }
}

function usersOf(jobs: DiskUse['largestJobs'], workspaces: DiskUse['largestWorkspaces']): DiskUse['users'] {
  const users = new Map<string | null, { jobs: number; workspaces: number }>();
  const add = (user: string | null, kind: 'jobs' | 'workspaces', size: number): void => {
    const known = users.get(user) ?? { jobs: 0, workspaces: 0 };
    users.set(user, { ...known, [kind]: known[kind] + size });
  };
  for (const { requestedBy, size } of jobs) add(requestedBy, 'jobs', size);
  for (const { owner, size } of workspaces) add(owner, 'workspaces', size);
  const rows = [...users].map(([user, sizes]) => ({ user, ...sizes }));
  return rows.toSorted((a, b) => b.jobs + b.workspaces - a.jobs - a.workspaces).slice(0, mostUsers);
}
