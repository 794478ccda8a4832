/** Directories that clients bring their files to, and run labs in. */
import { lstatSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../lib/app-error.ts';
import type { PackItem } from '../../lib/archives/pack.ts';
import { packItems } from '../../lib/archives/pack-items.ts';
import { FileChanged } from '../../lib/archives/read-whole.ts';
import { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import type { Logger } from '../../lib/logger.ts';
import { OpenDirectory } from '../../lib/files/open-directory.ts';
import { systemClock, type WallClock } from '../../lib/wall-clock.ts';
import { asDiskError } from './disk-error.ts';
import { LastUses } from './last-uses.ts';
import { receiveArchive, type IncomingArchive } from './receive.ts';
import { Replacements, type Files, type Receive, type WantedFiles } from './replacements.ts';
import { checkWorkspaceName, noSuchWorkspace, type WorkspacePlaces } from './workspace-places.ts';
import { WorkspaceRoom, type UploadQuotas } from './workspace-room.ts';
import { WorkspaceSizes, type Amount } from './workspace-sizes.ts';
import { viewOf } from './workspace-view.ts';
import type { AccessChanges, WorkspaceRecord } from './workspace-records.ts';
import { WorkspaceStore, type FileOwner } from './workspace-store.ts';
import { assertNoJob, knownLabIn, type WorkspaceUse } from './workspace-use.ts';
import type { MayChange, Workspace, WorkspaceLimits } from './workspace.ts';

interface WorkspacesDeps {
  readonly places: WorkspacePlaces;
  readonly limits: WorkspaceLimits;
  readonly use: WorkspaceUse;
  /** Absent: there are none. */
  readonly quotas?: UploadQuotas;
  /** The owner of the files of workspaces; undefined for the service's own user. */
  readonly owner?: FileOwner | undefined;
  readonly clock?: WallClock;
  /** Called with the directory of each workspace that is gone, before there may be another one of its name. Never rejects. */
  readonly onGone?: (directory: string) => Promise<void>;
  readonly log: Logger;
}

const goneCodes = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

const always: MayChange = () => undefined;

export class Workspaces {
  readonly store: WorkspaceStore;
  readonly sizes: WorkspaceSizes;
  readonly room: WorkspaceRoom;
  readonly uses: LastUses;
  readonly limits: WorkspaceLimits;
  readonly #places: WorkspacePlaces;
  readonly #use: WorkspaceUse;
  readonly #log: Logger;
  readonly #onGone: WorkspacesDeps['onGone'];
  /** Changes of the name of a workspace, or of a file in it, run one after the other; each is short. */
  readonly #turns = new KeyedMutex();
  readonly #replacements: Replacements;

  constructor({ places, limits, use, owner, clock = systemClock, log, quotas, onGone }: WorkspacesDeps) {
    this.store = new WorkspaceStore(places, owner, log);
    this.uses = new LastUses({ directory: () => path.join(places.ownDirectory, 'uses'), clock, log });
    this.limits = limits;
    this.#places = places;
    [this.#use, this.#log, this.#onGone] = [use, log, onGone];
    this.sizes = new WorkspaceSizes({ pathOf: (name) => places.pathOf(name), limits, log });
    this.room = new WorkspaceRoom(this, () => places.directory, quotas);
    const { store, sizes, room, uses, ownerOf } = this;
    const [turns, shared] = [this.#turns, { limits, places, use, log }];
    this.#replacements = new Replacements({ store, sizes, room, uses, ownerOf, turns, ...shared });
  }

  /** The owner and the creation time; undefined for a workspace that the service did not make. */
  recordOf(name: string): WorkspaceRecord | undefined {
    return this.store.record(name);
  }

  /** Null if unknown. */
  readonly ownerOf = (name: string): string | null => this.recordOf(name)?.owner ?? null;

  /** Whether the name is that of a workspace, or of anything else that is there, now. */
  isTaken(name: string): boolean {
    const place = this.#places.pathOf(name);
    return this.nameOf(place) === name && lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  }

  /** The workspace that a directory (a real path) is, or is in; null for any other. */
  nameOf(directory: string): string | null {
    return this.#places.nameOf(directory);
  }

  /** Those that `isVisible`. */
  async list(isVisible: (name: string) => boolean = () => true): Promise<readonly Workspace[]> {
    const names = await this.store.names();
    this.sizes.retain(names);
    const seen = this.#use.seeLabs(true);
    const found: Workspace[] = [];
    for (const name of names.filter((one) => isVisible(one))) {
      // Removed meanwhile.
      const workspace = await this.get(name, seen).catch(() => undefined);
      if (workspace) found.push(workspace);
    }
    return found;
  }

  /** @throws AppError `workspace-not-found`. */
  async get(name: string, seen = this.#use.seeLabs(true)): Promise<Workspace> {
    const workdir = this.directoryOf(name);
    const entry = await lstat(workdir).catch((error: unknown) => {
      throw this.#asMissing(name, error);
    });
    if (!entry.isDirectory()) throw noSuchWorkspace(name);
    const size = await this.sizes.of(name).catch((error: unknown) => {
      throw this.#asMissing(name, error);
    });
    const [record, usedMs] = [this.store.record(name), this.uses.of(name)];
    await seen;
    const there = { lab: knownLabIn(this.#use, workdir), job: this.#use.jobIn(workdir) ?? null };
    return viewOf({ name, workdir, ...there }, { entry, size, record, usedMs, keepMs: this.limits.keepMs });
  }

  /** Makes an empty workspace unless there is one; whether it was made. @throws AppError `invalid-request`. */
  async make(name: string, owner: string | null, check: MayChange = always): Promise<boolean> {
    checkWorkspaceName(name);
    check();
    await this.room.assertFreeDisk();
    return this.turn(name, async () => {
      check();
      const isNew = await this.store.make(name, owner);
      if (isNew) this.sizes.noteReplaced(name, { size: 0, files: 0, entries: 0 });
      this.uses.note(name);
      return isNew;
    });
  }

  /** Changes the owner of a workspace, or with whom it is shared. @throws AppError `workspace-not-found`; `workspace-busy` while a job is there. */
  async setAccess(name: string, changes: AccessChanges, check: MayChange = always): Promise<void> {
    const directory = this.directoryOf(name);
    await this.#use.whileClosed(async () =>
      this.turn(name, async () => {
        check();
        if (!(await this.store.exists(name))) throw noSuchWorkspace(name);
        if ('owner' in changes) assertNoJob(this.#use, name, directory);
        await this.store.change(name, changes);
        this.uses.note(name);
      }),
    );
    this.#log.info('the access to a workspace was changed', { workspace: name, ...changes });
  }

  /**
   * Puts the files of an archive in the place of those of a workspace, or makes it: all of them, or nothing changes. Whether
   * there was none.
   * @throws AppError `workspace-busy`, and what `receiveArchive` throws.
   */
  async replace(
    name: string,
    owner: string | null,
    archive: IncomingArchive,
    check: MayChange = always,
  ): Promise<boolean> {
    return this.withArchive({ name, owner, check }, archive, async (put) => {
      const isMade = await this.store.isMade(name);
      await put();
      return !isMade;
    });
  }

  /**
   * Receives an archive, and calls `use` with the function that puts its files into the workspace, for a job or for good. When
   * `use` rejects, a workspace that got them for a job is as it was. @throws AppError as `replace`, and what `use` throws.
   */
  async withArchive<T>(
    {
      name,
      owner,
      check,
    }: { readonly name: string; readonly owner: string | null; readonly check: MayChange },
    archive: IncomingArchive,
    use: (put: (job?: string) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    checkWorkspaceName(name);
    check();
    const receive: Receive<Amount> = async (place, room, limits) => {
      const allowed = { ...limits, maxRatio: archive.isOwn ? Infinity : limits.maxRatio };
      const amount = await receiveArchive(archive, place, room, allowed);
      return { amount, came: amount };
    };
    return this.#replacements.withFiles({ name, owner }, receive, async (files) =>
      use(async (job) => {
        await files.putInto(name, { owner, check, job });
        this.#log.info('files of a workspace were replaced', { workspace: name, by: owner });
      }),
    );
  }

  /** See `Replacements.withFiles`. */
  async withFiles<Came, T>(
    wanted: WantedFiles,
    receive: Receive<Came>,
    use: (files: Files<Came>) => Promise<T>,
  ): Promise<T> {
    if (wanted.name !== undefined) checkWorkspaceName(wanted.name);
    return this.#replacements.withFiles(wanted, receive, use);
  }

  /** Removes a workspace with its files. @throws AppError `workspace-not-found`, `workspace-busy`. */
  async remove(name: string, check: MayChange = always): Promise<void> {
    const directory = this.directoryOf(name);
    check();
    await this.#replacements.alone(name, async () => {
      if (!(await this.store.exists(name))) throw noSuchWorkspace(name);
      const token = await this.#replacements.whileUnused(name, check, async () => {
        const taken = await this.store.take(name);
        // At once: while the files are erased, there may be another one of this name.
        this.sizes.noteReplaced(name, undefined);
        await this.uses.forget(name);
        await this.#onGone?.(directory);
        return taken;
      });
      await this.store.erase(token);
    });
    this.#log.info('workspace removed', { workspace: name, directory });
  }

  /** Calls `use` with all files and directories of a workspace, for an archive. @throws AppError `workspace-not-found`. */
  async withItems(name: string, use: (items: AsyncIterable<PackItem>) => Promise<void>): Promise<void> {
    const top = await this.openTop(name);
    this.uses.note(name);
    try {
      await use(this.#items(top, name));
    } finally {
      await top.close();
    }
  }

  async *#items(top: OpenDirectory, name: string): AsyncGenerator<PackItem, void, void> {
    const before = await top.stat();
    yield* packItems(top);
    // A workspace that was replaced is being erased, so that files may be missing from the archive.
    const now = await lstat(this.#places.pathOf(name)).catch(() => undefined);
    if (now?.ino !== before.ino) throw new FileChanged();
  }

  /** The directory of a workspace; the caller closes it. @throws AppError `workspace-not-found`. */
  async openTop(name: string): Promise<OpenDirectory> {
    const directory = this.directoryOf(name);
    // In its turn: in the middle of a swap there is none.
    return this.turn(name, async () => OpenDirectory.open(directory)).catch((error: unknown) => {
      throw this.#asMissing(name, error);
    });
  }

  /** Runs what must not be mixed with other changes of the same workspace. */
  async turn<T>(name: string, task: () => Promise<T>): Promise<T> {
    return this.#replacements.turn(name, task).catch((error: unknown) => {
      throw asDiskError(error);
    });
  }

  /** To be called when a job in `workdir` (a real path) has changed; one that has ended may have changed files there. */
  noteJob(workdir: string, hasEnded: boolean): void {
    const name = this.nameOf(workdir);
    if (name === null) return;
    this.uses.note(name);
    if (hasEnded) this.sizes.noteChange(name);
  }

  /** Where a workspace is, if there is one. @throws AppError `workspace-not-found` about what can be no name. */
  directoryOf(name: string): string {
    try {
      checkWorkspaceName(name);
    } catch {
      throw noSuchWorkspace(name.slice(0, 63));
    }
    return this.#places.pathOf(name);
  }

  #asMissing(name: string, error: unknown): unknown {
    return goneCodes.has(systemCode(error) ?? '') ? noSuchWorkspace(name) : asDiskError(error);
  }
}
