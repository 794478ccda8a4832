/**
 * Which waiting job may start. First in, first out per lock (a working directory); jobs with different locks run side
 * by side up to a limit. Holds ids only, so it can be rebuilt from the records after a restart.
 */
export class JobQueue {
  readonly #maxRunning: number;
  /** Id → lock, in the order of their turns. Jobs with the same lock exclude one another; null excludes nobody. */
  #waiting = new Map<string, string | null>();
  readonly #running = new Map<string, string | null>();
  /** Made when somebody asks, since a list of jobs asks for hundreds; undefined once the order has changed. */
  #positions: Map<string, number> | undefined;

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  /** Appends a job; `first` is for a cleanup, and for one that could not be started and keeps its turn. */
  add(id: string, lock: string | null, place: 'last' | 'first' = 'last'): void {
    if (place === 'last') this.#waiting.set(id, lock);
    else this.#waiting = new Map([[id, lock], ...this.#waiting]);
    this.#positions = undefined;
  }

  /** Counts a job as running that was not taken from here: one that an earlier service started. */
  adopt(id: string, lock: string | null): void {
    this.#running.set(id, lock);
  }

  /** Takes the next job that may start now, or undefined. Its lock is held until `release`. */
  take(): string | undefined {
    if (this.#running.size >= this.#maxRunning) return undefined;
    // Of two that wait for the same lock, the earlier is looked at first: nobody overtakes in a directory.
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
  }

  /** Takes a waiting job out; whether it was there. */
  remove(id: string): boolean {
    this.#positions = undefined;
    return this.#waiting.delete(id);
  }

  /** 1 for the job that is next, null for one that does not wait. */
  position(id: string): number | null {
    this.#positions ??= new Map([...this.#waiting.keys()].map((waiting, index) => [waiting, index + 1]));
    return this.#positions.get(id) ?? null;
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
