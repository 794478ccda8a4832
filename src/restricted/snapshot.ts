/** One snapshot as a user may have it. `UserSnapshots.find` is the way to it. Its files contain passwords: reading them needs what a change needs. */
import type { FileHandle } from 'node:fs/promises';
import type { Resource } from '../access/model/ownership.ts';
import type { Share } from '../access/model/groups.ts';
import { compareNodes, type ComparedNode, type Side } from '../labs/snapshots/compare.ts';
import { noSuchSnapshot, type Snapshot as KeptSnapshot } from '../labs/snapshots/snapshot.ts';
import { AppError } from '../lib/app-error.ts';
import { assertGroups } from './assert-groups.ts';
import type { Machine } from './machine.ts';
import type { Needs } from './needs.ts';
import { restoreSnapshot, type RestoreRun, type WantedRestore, type WithFiles } from './restore.ts';
import type { UserAccess } from './user-access.ts';
import type { UserJobs } from './user-jobs.ts';
import type { UserWorkspaces } from './workspace.ts';

interface SnapshotDeps {
  readonly machine: Pick<Machine, 'snapshots' | 'labs' | 'groups'>;
  readonly jobs: UserJobs;
  readonly workspaces: UserWorkspaces;
  /** Undefined for a user who may do everything. */
  readonly access: UserAccess | undefined;
}

export class Snapshot {
  readonly kept: KeptSnapshot;
  readonly #deps: SnapshotDeps;

  constructor(kept: KeptSnapshot, deps: SnapshotDeps) {
    this.kept = kept;
    this.#deps = deps;
  }

  get name(): string {
    return this.kept.name;
  }

  /** All files as an archive (tar.gz); the caller closes it. @throws AppError `snapshot-not-found`, `storage-fault`. */
  async openArchive(): Promise<FileHandle> {
    const handle = await this.#deps.machine.snapshots.openArchive(this.name);
    try {
      this.#assertStill();
    } catch (error) {
      await handle.close();
      throw error;
    }
    return handle;
  }

  /** For a comparison. Reading a configuration throws `snapshot-not-found`, `storage-fault`. */
  nodes(): readonly ComparedNode[] {
    const { machine } = this.#deps;
    return this.kept.nodes.map((one) => ({
      ...one,
      text: async () => {
        const text = await machine.snapshots.configuration(this.kept, one.node);
        this.#assertStill();
        return text;
      },
    }));
  }

  /** Compares it with a later one, or with a lab. @throws AppError `shutting-down` when `signal` is aborted; as `compareNodes`. */
  async compare(later: Side, signal: AbortSignal): ReturnType<typeof compareNodes> {
    const { comparisons } = this.#deps.machine.snapshots;
    const earlier = { label: this.name, nodes: this.nodes() };
    return comparisons
      .run(async () => compareNodes(earlier, later, signal), signal)
      .catch((error: unknown) => rethrow(error, signal));
  }

  /** Starts labs from it. @throws AppError as `restoreSnapshot`. */
  async restore(
    wanted: WantedRestore,
    requestedBy: string | null,
    { onThisHost, signal }: RestoreRun,
  ): ReturnType<typeof restoreSnapshot> {
    const { machine, jobs, workspaces } = this.#deps;
    const withFiles: WithFiles = async (workspace, mustBeNew, use) => {
      const handle = await this.openArchive();
      try {
        // The handle closes with the stream: of many copies, one at a time has it open.
        const archive = { format: 'tar.gz', body: handle.createReadStream(), isOwn: true } as const;
        return await workspace.withArchive({ owner: requestedBy, mustBeNew }, archive, use);
      } finally {
        await handle.close();
      }
    };
    const parts = { labs: machine.labs, jobs, workspaces, requestedBy, withFiles, onThisHost, signal };
    return machine.snapshots.restores
      .run(requestedBy, async () => restoreSnapshot(this.kept, wanted, parts), signal)
      .catch((error: unknown) => rethrow(error, signal));
  }

  /** Replaces its shares; its owner and administrators may. @throws AppError `group-not-found`, `forbidden`. */
  async share(shares: readonly Share[]): Promise<void> {
    const { machine } = this.#deps;
    // First, so that others do not learn which groups there are.
    this.#assertMayGive();
    assertGroups(shares, machine.groups());
    await machine.snapshots.share(this.name, shares, this.#assertMayGive);
  }

  /** Whether the user may share it. */
  get mayGive(): boolean {
    const { access } = this.#deps;
    return access === undefined || access.may('give', ofOwner(this.kept, access));
  }

  readonly #assertMayGive = (): void => {
    const { access } = this.#deps;
    access?.assertMayGive(ofOwner(this.kept, access), this.#words);
  };

  async remove(): Promise<void> {
    const { access, machine } = this.#deps;
    if (access) access.assertMayChange(unshared(this.kept, access), this.#words);
    await machine.snapshots.remove(this.name);
  }

  get mayRemove(): boolean {
    const { access } = this.#deps;
    return access === undefined || access.may('change', unshared(this.kept, access));
  }

  /** Whether the user may read its files and start it. */
  get mayChange(): boolean {
    const { access } = this.#deps;
    return access === undefined || access.may('change', resourceOf(this.kept, access));
  }

  /** @throws AppError `forbidden`; `unauthorized` when the login has ended meanwhile. */
  assertMayChange(): void {
    const { access } = this.#deps;
    access?.assertMayChange(resourceOf(this.kept, access), this.#words);
  }

  /**
   * For what is read after a wait: the snapshot may have been removed and made anew, or is shared no more.
   * @throws AppError `snapshot-not-found`.
   */
  #assertStill(): void {
    const { access, machine } = this.#deps;
    const now = machine.snapshots.get(this.name);
    if (now?.createdAt !== this.kept.createdAt || access?.may('change', resourceOf(now, access)) === false)
      throw noSuchSnapshot(this.name);
  }

  get #words(): string {
    return `the snapshot "${this.name}"`;
  }
}

function rethrow(error: unknown, { aborted }: AbortSignal): never {
  if (!aborted || error instanceof AppError) throw error;
  throw new AppError('shutting-down', 'the request was ended', { cause: error });
}

/**
 * It is read and changed as the jobs of its owner in the directory of the lab at that time. Users with whom it is shared by itself
 * may read its files and start it in any case: there is nothing else to share.
 */
function resourceOf({ owner, workdir, createdAt, shares }: KeptSnapshot, access: UserAccess): Resource {
  const job = access.jobResource({ requestedBy: owner, workdir, createdAt });
  const own = shares.map((share) => ({ ...share, as: 'operator' }) as const);
  return { ...job, shares: [...own, ...job.shares] };
}

/** For its shares: the owner of a workspace has a say in its labs, and none in the snapshots of another user. */
function ofOwner(kept: KeptSnapshot, access: UserAccess): Resource {
  return { ...resourceOf(kept, access), workspaceOwner: null };
}

/** For its removal: a user with whom it, or the workspace of the lab, is shared could make another one of that name. */
function unshared(kept: KeptSnapshot, access: UserAccess) {
  return { ...resourceOf(kept, access), shares: [] };
}

/** The snapshots as one user may have them. The others are not there, but for their names. */
export class UserSnapshots {
  readonly #deps: SnapshotDeps;

  constructor(deps: SnapshotDeps) {
    this.#deps = deps;
  }

  /** Newest first. */
  list(): readonly Snapshot[] {
    const { access, machine } = this.#deps;
    const all = machine.snapshots.list();
    const visible = access ? all.filter((kept) => access.mayRead(resourceOf(kept, access))) : all;
    return visible.map((kept) => this.of(kept));
  }

  /** One that the user has just made. */
  of(kept: KeptSnapshot): Snapshot {
    return new Snapshot(kept, this.#deps);
  }

  /** The snapshot of a name, if the user may do with it what the request needs. @throws AppError `snapshot-not-found`, `forbidden`. */
  find(name: string, needs: Needs): Snapshot {
    const { access, machine } = this.#deps;
    const kept = machine.snapshots.get(name);
    if (kept === undefined || (access && !access.mayRead(resourceOf(kept, access))))
      throw noSuchSnapshot(name);
    const snapshot = this.of(kept);
    if (needs === 'change') snapshot.assertMayChange();
    return snapshot;
  }
}
