/**
 * Which waiting job may start. First in, first out per lock (a working directory); jobs with different locks run side
 * by side up to a limit. Holds ids only, so it can be rebuilt from the records after a restart.
 */
interface Waiting {
  readonly id: string;
  /** Jobs with the same lock exclude one another; null excludes nobody. */
  readonly lock: string | null;
}

export class JobQueue {
  readonly #maxRunning: number;
  #waiting: Waiting[] = [];
  readonly #running = new Map<string, string | null>();

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  /** Appends a job; `first` puts one back that could not be started. */
  add(id: string, lock: string | null, place: 'last' | 'first' = 'last'): void {
    if (place === 'last') this.#waiting.push({ id, lock });
    else this.#waiting.unshift({ id, lock });
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
    for (const { id, lock } of this.#waiting) {
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
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((entry) => entry.id !== id);
    return this.#waiting.length < before;
  }

  /** 1 for the job that is next, null for one that does not wait. */
  position(id: string): number | null {
    const index = this.#waiting.findIndex((entry) => entry.id === id);
    return index < 0 ? null : index + 1;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** The job that runs or waits under this lock and would make a new one wait. */
  holderOf(lock: string): string | undefined {
    for (const [id, held] of this.#running) if (held === lock) return id;
    return this.#waiting.find((entry) => entry.lock === lock)?.id;
  }
}
