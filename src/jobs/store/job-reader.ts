import { isDeepStrictEqual } from 'node:util';
import { isTerminal, type Job } from '../model/job.ts';
import type { IndexFile } from './index-file.ts';
import type { JobSummary } from './job-summary.ts';
import type { KnownJobs } from './known-jobs.ts';
import type { Quarantine } from './quarantine.ts';
import type { RecordFiles, RecordReading } from './record-files.ts';
import type { RecordLoader } from './record-loader.ts';
import { unreadableNow } from './store-fault.ts';
import type { UnsavedJobs } from './unsaved-jobs.ts';

type SoundRecord = Extract<RecordReading, { readonly kind: 'sound' }>;

/** Longer records are read each time that they are asked for: a thousand of the longest would take 200 MB. */
const longestKept = 16 * 1024;

interface JobReaderDeps {
  readonly known: KnownJobs;
  readonly unsaved: UnsavedJobs;
  readonly loader: RecordLoader;
  readonly records: RecordFiles;
  readonly quarantine: Quarantine;
  readonly indexFile: IndexFile;
  /** Called with a job whose record says that it runs, though it was known as finished. */
  readonly onFound: (job: Job) => void;
}

/** Gives a job from memory, else from its record; where the two differ, the record is believed. */
export class JobReader {
  readonly #deps: JobReaderDeps;

  constructor(deps: JobReaderDeps) {
    this.#deps = deps;
  }

  /**
   * The current state of the job. A job with a damaged record is set aside, and a job whose directory was removed by hand is
   * removed from the index: both no longer exist.
   * @throws AppError `storage-fault` when the disk fails just now.
   */
  async get(id: string): Promise<Job | undefined> {
    const { known, unsaved, loader } = this.#deps;
    const held = unsaved.get(id) ?? known.get(id);
    if (held) return held;
    const summary = known.summary(id);
    if (summary) return this.#read(summary);
    const cause = loader.unreadable.get(id);
    if (cause === undefined) return undefined;
    throw unreadableNow(id, cause);
  }

  async #read(summary: JobSummary): Promise<Job | undefined> {
    const { known, records, quarantine } = this.#deps;
    const { id } = summary;
    const reading = await records.read(id);
    switch (reading.kind) {
      case 'sound':
        // When the job was changed or removed meanwhile, this reading is of the past.
        if (known.summary(id) === summary) await this.#compare(summary, reading);
        return reading.job;
      case 'damaged':
        // Of many who read it at the same time, one sets it aside; and none when it was removed meanwhile.
        if (known.delete(id)) await quarantine.take(id, reading.cause);
        return undefined;
      case 'missing':
        // Another program removed it; or this service did so just now, and perhaps made it anew since.
        if (known.summary(id) === summary) known.delete(id);
        return undefined;
      case 'unreadable':
        throw unreadableNow(id, reading.error);
    }
  }

  async #compare(summary: JobSummary, { job, length }: SoundRecord): Promise<void> {
    const { known, indexFile, onFound } = this.#deps;
    const { size: _size, ...facts } = summary;
    const { size: _measured, ...recorded } = known.summarize(job);
    const isContradicted = !isDeepStrictEqual(facts, recorded);
    if (isContradicted) known.set(job);
    if (isTerminal(job.state) && length <= longestKept) known.keep(job);
    if (!isContradicted) return;
    // The index file was damaged, or an older record was put in the place of this one. A job that was known as finished
    // has run once: when its record says that it waits, it must not run again.
    if (!isTerminal(job.state) && job.state !== 'queued') onFound(job);
    await indexFile.discard();
  }
}
