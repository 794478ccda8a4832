/** Brings files to workspaces: all of those that come, in the place of all that are there, or nothing changes. */
import { AppError, messageOf } from '../../lib/app-error.ts';
import type { UnpackLimits } from '../../lib/archives/unpack-target.ts';
import type { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import type { Logger } from '../../lib/logger.ts';
import { asDiskError } from './disk-error.ts';
import type { LastUses } from './last-uses.ts';
import type { Received } from './receive.ts';
import type { WorkspacePlaces } from './workspace-places.ts';
import type { UploadRoom, WorkspaceRoom } from './workspace-room.ts';
import type { Amount, WorkspaceSizes } from './workspace-sizes.ts';
import type { SwapOrigin } from './workspace-records.ts';
import type { WorkspaceStore } from './workspace-store.ts';
import { assertNoJob, assertUnused, type WorkspaceUse } from './workspace-use.ts';
import type { MayChange, WorkspaceLimits } from './workspace.ts';

const uploadsAtOnce = 16;

/** Configurations shrink to a tenth, a picture of a disk to a hundredth; what shrinks to less was made to fill a disk. */
const maxRatio = 250;

/** Has files on disk for good. */
export type Receive<Came> = (
  place: Received,
  room: UploadRoom,
  limits: UnpackLimits,
) => Promise<{ readonly amount: Amount; readonly came: Came }>;

/** Files that have come, and are in no workspace yet. */
export interface Files<Came> {
  readonly came: Came;
  /** @throws AppError `workspace-busy`; then nothing has changed. */
  readonly putInto: (name: string, of: SwapOrigin & { readonly check: MayChange }) => Promise<void>;
}

/**
 * The files that are no longer needed: those that have come and are in no workspace; the old ones of a workspace, too; or none,
 * while the old ones are to come back.
 */
type Left = 'incoming' | 'incoming and old' | 'nothing';

type End<T> = { readonly left: Left } & ({ readonly result: T } | { readonly error: unknown });

export interface WantedFiles {
  /** Of the workspace; undefined for one that is to be made. */
  readonly name: string | undefined;
  /** The owner of a workspace that is new. */
  readonly owner: string | null;
}

interface ReplacementsDeps {
  readonly store: WorkspaceStore;
  readonly sizes: WorkspaceSizes;
  readonly room: WorkspaceRoom;
  readonly uses: LastUses;
  readonly limits: WorkspaceLimits;
  readonly places: WorkspacePlaces;
  readonly use: WorkspaceUse;
  readonly turns: KeyedMutex;
  /** Null if unknown. */
  readonly ownerOf: (name: string) => string | null;
  readonly log: Logger;
}

export class Replacements {
  readonly #deps: ReplacementsDeps;
  /** The names of workspaces, and tokens for those that have no name yet. */
  readonly #replacing = new Set<string | symbol>();
  /** The uploads that are coming. */
  readonly #receiving = new Set<symbol>();
  /** By workspace: the files whose replacement could not be undone. The next start tries again, too. */
  readonly #unfinished = new Map<string, string>();

  constructor(deps: ReplacementsDeps) {
    this.#deps = deps;
  }

  /**
   * Receives files, and calls `use` with them; when it rejects, a workspace that got the files for a job has its old ones again.
   * Without a name, no other request knows of the workspace that is to be made.
   * @throws AppError `workspace-busy`, and what `receive` and `use` throw.
   */
  async withFiles<Came, T>(
    wanted: WantedFiles,
    receive: Receive<Came>,
    use: (files: Files<Came>) => Promise<T>,
  ): Promise<T> {
    return this.alone(wanted.name ?? Symbol('new'), async () => {
      const leave = this.#enter();
      const receiveInTurn: Receive<Came> = async (...args) => receive(...args).finally(leave);
      return this.#withFiles(wanted, receiveInTurn, use).finally(leave);
    });
  }

  async #withFiles<Came, T>(
    { name, owner }: WantedFiles,
    receive: Receive<Came>,
    use: (files: Files<Came>) => Promise<T>,
  ): Promise<T> {
    const { store, room: rooms, limits, ownerOf } = this.#deps;
    await rooms.assertFreeDisk();
    if (name !== undefined) await this.#assertUnused(name);
    const room = rooms.open({
      owner: (name === undefined ? null : ownerOf(name)) ?? owner,
      ...(name !== undefined && { replaced: name }),
    });
    const token = await store.makeIncoming();
    let left: Left = 'incoming';
    try {
      const place = { directory: store.incomingFiles(token), file: store.incomingFile(token) };
      const { maxFileBytes, maxBytes, maxFiles: maxEntries } = limits;
      const received = await receive(place, room, { maxFileBytes, maxBytes, maxEntries, maxRatio });
      const end = await this.#place(token, { ...received, room }, use);
      left = end.left;
      if ('error' in end) throw end.error;
      return end.result;
    } finally {
      room.close();
      // First: a start that finds it when the job was removed from the record would put the old files back.
      if (left === 'incoming and old') await store.keep(token).catch(() => undefined);
      if (left !== 'nothing') await store.dropIncoming(token);
      // Not before: what is half erased must not be put back after a crash.
      if (left === 'incoming and old') await store.erase(token);
    }
  }

  /** Begins an upload; the result ends it, and may be called twice. @throws AppError `queue-full`. */
  #enter(): () => void {
    if (this.#receiving.size >= uploadsAtOnce)
      throw new AppError('queue-full', `${uploadsAtOnce} workspaces are being uploaded; try again later`, {
        retryAfterSeconds: 10,
      });
    const upload = Symbol('upload');
    this.#receiving.add(upload);
    return () => void this.#receiving.delete(upload);
  }

  /** Never rejects. */
  async #place<Came, T>(
    token: string,
    { came, amount, room }: Awaited<ReturnType<Receive<Came>>> & { readonly room: UploadRoom },
    use: (files: Files<Came>) => Promise<T>,
  ): Promise<End<T>> {
    let begun: { readonly name: string; readonly job: string | undefined } | undefined;
    const putInto: Files<Came>['putInto'] = async (name, { check, ...origin }) =>
      this.whileUnused(name, check, async () => {
        begun = { name, job: origin.job };
        await this.#deps.store.swapIn(token, name, origin);
        room.close();
        this.#noteReplaced(name, amount);
      });
    try {
      return { result: await use({ came, putInto }), left: begun ? 'incoming and old' : 'incoming' };
    } catch (error) {
      const { name, job } = begun ?? {};
      const isForJob = name !== undefined && job !== undefined;
      return { error, left: isForJob ? await this.#undo(token, name, job) : 'incoming' };
    }
  }

  /** One replacement or removal of a workspace at a time: with two, the files could come from either. */
  async alone<T>(name: string | symbol, task: () => Promise<T>): Promise<T> {
    if (this.#replacing.has(name))
      throw new AppError(
        'workspace-busy',
        `the files of "${String(name)}" are being replaced by another request`,
        { retryAfterSeconds: 5 },
      );
    this.#replacing.add(name);
    try {
      return await task();
    } catch (error) {
      throw asDiskError(error);
    } finally {
      this.#replacing.delete(name);
    }
  }

  /** Looks again, and acts, while no job can come in between. */
  async whileUnused<T>(name: string, check: MayChange, action: () => Promise<T>): Promise<T> {
    const { use, places } = this.#deps;
    await use.seeLabs();
    return use.whileClosed(async () =>
      this.turn(name, async () => {
        check();
        assertUnused(use, name, places.pathOf(name));
        return action();
      }),
    );
  }

  async #assertUnused(name: string): Promise<void> {
    const { use, places } = this.#deps;
    await use.seeLabs();
    assertUnused(use, name, places.pathOf(name));
  }

  /** Puts the old files back, unless another job came meanwhile, and has seen the new ones. Never rejects. */
  async #undo(token: string, name: string, job: string): Promise<Left> {
    const { use, places, log } = this.#deps;
    try {
      return await use.whileClosed(async () =>
        this.turn(name, async () => {
          const other = use.jobIn(places.pathOf(name));
          if (other === undefined || other === job) {
            await this.#putBack(token, name);
            return 'incoming';
          }
          log.warn('a workspace keeps the files that came for a job', { workspace: name, by: other });
          return 'incoming and old';
        }),
      );
    } catch (error) {
      this.#unfinished.set(name, token);
      log.error('the old files of a workspace cannot be put back now', {
        workspace: name,
        cause: messageOf(error),
      });
      return 'nothing';
    }
  }

  async #putBack(token: string, name: string): Promise<void> {
    const { store, sizes, uses } = this.#deps;
    await store.undo(token);
    this.#noteReplaced(name, undefined);
    if (await store.exists(name)) await sizes.of(name).catch(() => undefined);
    else await uses.forget(name);
  }

  /** Runs what must not be mixed with other changes of the same workspace; first, it puts old files back that wait for that. */
  async turn<T>(name: string, task: () => Promise<T>): Promise<T> {
    return this.#deps.turns.run(name, async () => {
      const token = this.#unfinished.get(name);
      if (token !== undefined) {
        assertNoJob(this.#deps.use, name, this.#deps.places.pathOf(name));
        await this.#putBack(token, name);
        this.#unfinished.delete(name);
        await this.#deps.store.dropIncoming(token);
      }
      return task();
    });
  }

  #noteReplaced(name: string, amount: Amount | undefined): void {
    this.#deps.sizes.noteReplaced(name, amount);
    this.#deps.uses.note(name);
  }
}
