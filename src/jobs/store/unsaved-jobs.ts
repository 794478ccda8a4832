import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Job } from '../model/job.ts';

/** Jobs that are newer in memory than on disk, because the disk refused to take them. */
export class UnsavedJobs extends Map<string, Job> {
  readonly #log: Logger;
  #cause = '';

  constructor(log: Logger) {
    super();
    this.#log = log;
  }

  /** One sentence; null when there are none. */
  get fault(): string | null {
    return this.size === 0 ? null : `${this.size} job record(s) cannot be written: ${this.#cause}`;
  }

  /** Reports that a record cannot be written; one that is tried again every few seconds is reported once. */
  note(id: string, error: unknown): void {
    const cause = messageOf(error);
    if (this.has(id) && cause === this.#cause) return;
    this.#cause = cause;
    this.#log.error('a job record cannot be written', { job: id, cause });
  }

  /** Reports the jobs whose last state is lost when this process ends. */
  report(): void {
    for (const { id, state } of this.values()) {
      this.#log.error('the last state of a job is not on disk; the next start will have to find it out', {
        job: id,
        state,
      });
    }
  }
}
