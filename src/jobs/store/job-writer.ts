import { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import type { Job } from '../model/job.ts';
import type { IndexFile } from './index-file.ts';
import type { JobReader } from './job-reader.ts';
import { isFinished, type JobSummary } from './job-summary.ts';
import type { KnownJobs } from './known-jobs.ts';
import type { RecordFiles } from './record-files.ts';
import { noSuchJob } from '../model/no-such-job.ts';
import { storageFault } from './store-fault.ts';
import type { Trash } from './trash.ts';
import type { UnsavedJobs } from './unsaved-jobs.ts';

interface JobWriterDeps {
  readonly known: KnownJobs;
  readonly unsaved: UnsavedJobs;
  readonly reader: JobReader;
  readonly records: RecordFiles;
  readonly indexFile: IndexFile;
  readonly trash: Trash;
  /** Called with a job when readers see it as it is now, and with how it was before; undefined for a new one. */
  readonly onChange: (job: Job, before: Job | undefined) => void;
  /** Called when a job is gone, with what was known of it. */
  readonly onRemoved: (summary: JobSummary) => void;
}

/** Makes, changes and removes jobs: on disk first, then in memory. */
export class JobWriter {
  readonly #deps: JobWriterDeps;
  /** Changes of one job happen one after the other: each sees what the one before it decided. */
  readonly #turns = new KeyedMutex();

  constructor(deps: JobWriterDeps) {
    this.#deps = deps;
  }

  /** @throws AppError `storage-fault`; then there is no such job. */
  async create(job: Job, topologyText: string | undefined): Promise<void> {
    const { known, unsaved, records, onChange } = this.#deps;
    await records.create(job, topologyText).catch((error: unknown) => {
      unsaved.note(job.id, error);
      throw storageFault('the job', error);
    });
    known.set(job);
    onChange(job, undefined);
  }

  /** Implements `JobStore.update`. */
  async update(id: string, change: (job: Job) => Job, mustPersist: boolean): Promise<Job> {
    return this.#turns.run(id, async () => {
      const current = await this.#deps.reader.get(id);
      if (!current) throw noSuchJob(id);
      const next = change(current);
      if (next !== current) await this.#commit(next, current, mustPersist);
      return next;
    });
  }

  async #commit(job: Job, before: Job, mustPersist: boolean): Promise<void> {
    const { known, unsaved, records, indexFile, onChange } = this.#deps;
    try {
      await records.write(job);
      unsaved.delete(job.id);
    } catch (error) {
      unsaved.note(job.id, error);
      if (mustPersist) throw storageFault('the change', error);
      unsaved.set(job.id, job);
    }
    const summary = known.set(job);
    onChange(job, before);
    // Not before the record is on disk: a power cut must not leave a job finished in the index and running on record.
    if (isFinished(summary) && !unsaved.has(job.id)) await indexFile.add([summary]);
  }

  /** Removes a finished job. In its turn: an update under way would bring it back. @throws Error when the disk refuses. */
  async remove(id: string): Promise<void> {
    const { known, unsaved, trash, onRemoved } = this.#deps;
    await this.#turns.run(id, async () => {
      const summary = known.summary(id);
      await trash.take(id);
      known.delete(id);
      unsaved.delete(id);
      if (summary) onRemoved(summary);
      await trash.erase(id);
    });
  }
}
