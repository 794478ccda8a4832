/**
 * Takes a job that a client or another host submitted. The host binds the directory or the workspace first and releases the
 * binding if it refuses the job, unless it uses that place already or for another job that it takes at the same time.
 */
import type { JobService } from '../jobs/job-service.ts';
import { AppError } from '../lib/app-error.ts';
import { digestOf, type Bindings, type BoundKind, type Key, type Place } from './bindings.ts';
import type { WantedJob } from './model/cluster-service.ts';

type Accepted = Awaited<ReturnType<JobService['submit']>>;

/** The entries of a job in Redis: its place, and its `Idempotency-Key`. */
export interface Stake {
  readonly place: Place | undefined;
  readonly key: Key | undefined;
}

interface ClaimJobDeps {
  readonly ownId: () => string;
  readonly bindings: Bindings;
  /** Whether a job would begin at once, after those that are being taken. */
  readonly hasRoom: (coming: number) => boolean;
  /** Whether a request with this key has made a job here. */
  readonly isOwnKey: (key: Key) => boolean;
  readonly isOwnPlace: (job: Pick<WantedJob, 'workspace' | 'directory' | 'instance'>) => Promise<boolean>;
}

const nameOf = ({ kind, name }: Place): string => `${kind} ${name}`;

/** Without Redis, this host still takes jobs of its own places and keys, and updates Redis later. */
async function ifItCan<T>(action: Promise<T>): Promise<T | undefined> {
  return action.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'cluster-unavailable') return undefined;
    throw error;
  });
}

export class ClaimJob {
  readonly #deps: ClaimJobDeps;
  /** How many jobs are being taken, by their place and by their digest. */
  readonly #underWay = new Map<string, number>();
  #coming = 0;

  constructor(deps: ClaimJobDeps) {
    this.#deps = deps;
  }

  /** Whether a job of this place is being taken: its binding must stay until the job is there, or is refused. */
  isTaking(kind: BoundKind, name: string): boolean {
    return this.#underWay.has(nameOf({ kind, name }));
  }

  /**
   * `ifRoom`: only if the job would begin at once.
   * @throws AppError `queue-full` without room, `conflict` when the place is another host's by now, and whatever `submit` throws.
   */
  async take({ place, key }: Stake, submit: () => Promise<Accepted>, ifRoom: boolean): Promise<Accepted> {
    const { isOwnKey } = this.#deps;
    // A repeated request makes no job, and needs neither room nor its place, which may be another host's by now.
    if (key && isOwnKey(key)) return submit();
    return this.#holding([{ place, key }], async () => {
      if (place) await this.#hold(place);
      if (key) await this.#holdKey(key);
      return this.#make(submit, ifRoom);
    });
  }

  /** Calls `make`, which binds places to this host. When it rejects, those that are not this host's by then are free again. */
  async holdPlaces<T>(places: readonly Place[], make: () => Promise<T>): Promise<T> {
    return this.#holding(
      places.map((place) => ({ place, key: undefined })),
      make,
    );
  }

  async #holding<T>(stakes: readonly Stake[], make: () => Promise<T>): Promise<T> {
    const names = stakes.flatMap(({ place, key }) => [
      ...(place ? [nameOf(place)] : []),
      ...(key ? [digestOf(key)] : []),
    ]);
    for (const name of names) this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1);
    try {
      return await make();
    } catch (error) {
      for (const stake of stakes) await ifItCan(this.#giveBack(stake));
      throw error;
    } finally {
      for (const name of names) this.#end(name);
    }
  }

  /** Counts the jobs that are being made: of many that come at once, only as many as there is room for find it. */
  async #make(submit: () => Promise<Accepted>, ifRoom: boolean): Promise<Accepted> {
    if (ifRoom && !this.#deps.hasRoom(this.#coming))
      throw new AppError('queue-full', 'this host has no room for another job now');
    this.#coming += 1;
    try {
      return await submit();
    } finally {
      this.#coming -= 1;
    }
  }

  #end(name: string): void {
    const left = (this.#underWay.get(name) ?? 1) - 1;
    if (left > 0) this.#underWay.set(name, left);
    else this.#underWay.delete(name);
  }

  #isLast(name: string): boolean {
    return this.#underWay.get(name) === 1;
  }

  /** It may have been given back since this host was chosen. */
  async #hold({ kind, name }: Place): Promise<void> {
    const bound = await ifItCan(this.#deps.bindings.bind(kind, name, this.#deps.ownId()));
    this.#assertOwn(bound, `the ${kind} ${name} has just gone to another host; try again`);
  }

  /** It may have been disclaimed since then, for another request with this key, and be another host's now. */
  async #holdKey(key: Key): Promise<void> {
    const claimed = await ifItCan(this.#deps.bindings.claim(digestOf(key), this.#deps.ownId()));
    this.#assertOwn(claimed, 'another host takes a request with this Idempotency-Key; try again');
  }

  /** `held` is undefined while Redis does not answer: the job is taken all the same. */
  #assertOwn(held: { readonly holder: string } | undefined, message: string): void {
    if (held && held.holder !== this.#deps.ownId())
      throw new AppError('conflict', message, { retryAfterSeconds: 1 });
  }

  async #giveBack({ place, key }: Stake): Promise<void> {
    const { bindings, ownId, isOwnPlace, isOwnKey } = this.#deps;
    if (place) {
      const { kind, name } = place;
      const asked =
        kind === 'workspace'
          ? { workspace: name, directory: undefined }
          : { workspace: undefined, directory: name };
      const isOwn = await isOwnPlace({ ...asked, instance: undefined });
      // Looked at last: another job may have come meanwhile.
      if (!isOwn && this.#isLast(nameOf(place))) await bindings.release(kind, name, ownId());
    }
    if (key && this.#isLast(digestOf(key)) && !isOwnKey(key)) await bindings.disclaim(digestOf(key), ownId());
  }
}
