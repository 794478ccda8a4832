import { randomBytes } from 'node:crypto';

/**
 * Ids of new jobs: `job-<epoch ms>-<6 hex>`. The milliseconds only ever grow, so ids sort in the order in which they were given out.
 * That is the order of admission, but for jobs that get their ids before their files.
 */
export class JobIds {
  #lastMs = 0;

  /** The next ids sort behind this one. */
  goOnAfter(newestId: string | undefined): void {
    this.#lastMs = Number(newestId?.split('-')[1] ?? 0);
  }

  next(): string {
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1);
    return `job-${this.#lastMs}-${randomBytes(3).toString('hex')}`;
  }
}
