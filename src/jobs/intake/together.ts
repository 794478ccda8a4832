/** Jobs that are accepted together or not at all, also when the service or the disk fails in the middle. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../lib/app-error.ts';
import { exists } from '../../lib/files/exists.ts';
import { readPlainFile } from '../../lib/files/plain-file.ts';
import { syncDirectory, writeDurably } from '../../lib/files/write-durably.ts';
import type { Logger } from '../../lib/logger.ts';
import { cancelUnstarted, jobIdPattern } from '../model/job.ts';
import { jobPaths } from '../store/job-files.ts';
import type { JobStore } from '../store/job-store.ts';

const fileSchema = z.object({ jobs: z.array(z.string().regex(jobIdPattern)) });

type Store = Pick<JobStore, 'directory' | 'summary' | 'update' | 'remove'>;

const fileName = 'together.json';

/** Whether a job of an earlier service was accepted: before `recover`, some may be on record that were not. */
export async function wasAccepted(directory: string, job: string): Promise<boolean> {
  const reading = await readPlainFile(path.join(directory, fileName));
  if (reading.kind === 'unreadable') throw reading.error;
  const isHalf = reading.kind === 'found' && fileSchema.parse(JSON.parse(reading.text)).jobs.includes(job);
  return !isHalf && (await exists(jobPaths(directory, job).record));
}

export class Together {
  readonly #store: Store;
  readonly #log: Logger;

  constructor(store: Store, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  get #file(): string {
    return path.join(this.#store.directory, fileName);
  }

  /**
   * Calls `record` while a file says which jobs count only when all of them are on record. No job of them may start before this
   * resolves. @throws what `record` throws, and Error when the disk refuses: then none of them is there.
   */
  async record<T>(jobs: readonly string[], record: () => Promise<T>): Promise<T> {
    await writeDurably(this.#file, `${JSON.stringify({ jobs })}\n`, 0o600);
    try {
      const recorded = await record();
      // From now on, they are accepted.
      await rm(this.#file);
      await syncDirectory(this.#store.directory);
      return recorded;
    } catch (error) {
      await this.#undo(jobs);
      throw error;
    }
  }

  /** Takes back what an earlier service was accepting when it ended. Before anything starts. */
  async recover(): Promise<void> {
    const reading = await readPlainFile(this.#file);
    if (reading.kind === 'absent') return;
    try {
      if (reading.kind !== 'found') throw reading.error;
      await this.#undo(fileSchema.parse(JSON.parse(reading.text)).jobs);
    } catch (error) {
      this.#log.error('jobs that were half accepted cannot be taken back', { cause: messageOf(error) });
    }
  }

  /** The file goes last: what is cut off here is taken back by the next start. */
  async #undo(jobs: readonly string[]): Promise<void> {
    for (const id of jobs) {
      if (this.#store.summary(id) === undefined) continue;
      // A client may have canceled it in this moment.
      await this.#store.update(id, (job) => (job.state === 'queued' ? cancelUnstarted(job, null) : job));
      await this.#store.remove(id).catch((error: unknown) => {
        this.#log.warn('a job that was not accepted stays, as canceled', {
          job: id,
          cause: messageOf(error),
        });
      });
    }
    await rm(this.#file, { force: true });
  }
}
