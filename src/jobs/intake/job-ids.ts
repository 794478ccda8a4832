import { randomBytes } from 'node:crypto';

/** Ids of new jobs: `job-<epoch ms>-<6 hex>`. The milliseconds only ever grow, so ids sort in the order of admission. */
export class JobIds {
  #lastMs = 0;

  /** Ids go on after that of the newest job there is. */
  goOnAfter(newestId: string | undefined): void {
    this.#lastMs = Number(newestId?.split('-')[1] ?? 0);
  }

  next(): string {
    this.#lastMs = Math.max(Date.now(), this.#lastMs + 1);
    return `job-${this.#lastMs}-${randomBytes(3).toString('hex')}`;
  }
}
