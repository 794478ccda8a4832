/**
 * Which waiting job may start. First in, first out per lock (a working directory); jobs with different locks run side
 * by side up to a limit. Holds ids only, so it can be rebuilt from the records after a restart.
 */
export interface Turn {
  /** 1 for the job that is next. */
  readonly position: number;
  /** The job before it with the same lock; null when it waits for a free place alone. */
  readonly waitsFor: string | null;
}

export class JobQueue {
  readonly #limits: { readonly maxRunningJobs: number };
  /** Id → lock, in the order of their turns. Jobs with the same lock exclude one another; null excludes none. */
  #waiting = new Map<string, string | null>();
  readonly #running = new Map<string, string | null>();
  /** Made on request, since a list of jobs asks for hundreds; undefined after any change. */
  #turns: ReadonlyMap<string, Turn> | undefined;

  /** The limit may change; `take` then what may start. */
  constructor(limits: { readonly maxRunningJobs: number }) {
    this.#limits = limits;
  }

  /** Appends a job; `first` is for a cleanup, and for one that could not be started and keeps its turn. */
  add(id: string, lock: string | null, place: 'last' | 'first' = 'last'): void {
    if (place === 'last') this.#waiting.set(id, lock);
    else this.#waiting = new Map([[id, lock], ...this.#waiting]);
    this.#turns = undefined;
  }

  /** Counts a job as running that was not taken from here: one that an earlier service started. */
  adopt(id: string, lock: string | null): void {
    this.#running.set(id, lock);
    this.#turns = undefined;
  }

  /** Takes the next job that may start now, or undefined. Its lock is held until `release`. */
  take(): string | undefined {
    if (this.#running.size >= this.#limits.maxRunningJobs) return undefined;
    // Of two that wait for the same lock, the earlier comes first: no job overtakes another in its directory.
    const taken = new Set(this.#running.values());
    for (const [id, lock] of this.#waiting) {
      if (lock === null || !taken.has(lock)) {
        this.remove(id);
        this.#running.set(id, lock);
        return id;
      }
    }
    return undefined;
  }

  /** Ends a job's hold on its place and its lock. */
  release(id: string): void {
    this.#running.delete(id);
    this.#turns = undefined;
  }

  /** Takes a waiting job out; whether it was there. */
  remove(id: string): boolean {
    this.#turns = undefined;
    return this.#waiting.delete(id);
  }

  /** When it is the turn of a job; null for one that does not wait. */
  turnOf(id: string): Turn | null {
    this.#turns ??= this.#allTurns();
    return this.#turns.get(id) ?? null;
  }

  #allTurns(): ReadonlyMap<string, Turn> {
    const turns = new Map<string, Turn>();
    const holders = new Map([...this.#running].map(([id, lock]) => [lock, id]));
    for (const [id, lock] of this.#waiting) {
      const before = lock === null ? undefined : holders.get(lock);
      turns.set(id, { position: turns.size + 1, waitsFor: before ?? null });
      holders.set(lock, id);
    }
    return turns;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** The job that runs or waits under this lock and would make a new one wait. */
  holderOf(lock: string): string | undefined {
    for (const jobs of [this.#running, this.#waiting]) {
      for (const [id, held] of jobs) if (held === lock) return id;
    }
    return undefined;
  }
}

/** Why each job waits that had its turn and could not be started, because the machine is short of something just now. */
export class PostponedStarts extends Map<string, string> {
  /** One sentence; null when none waits for that. */
  get fault(): string | null {
    const [cause] = this.values();
    return cause === undefined ? null : `${this.size} job(s) wait for the machine: ${cause}`;
  }
}
