/** All jobs: durable on disk before they are reported, with the data of lists and running jobs in memory. */
import { EventEmitter } from 'node:events';
import { every } from '../../lib/async/disposal.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Job } from '../model/job.ts';
import { FrozenLogs } from './frozen-logs.ts';
import { IndexFile } from './index-file.ts';
import { jobPaths, type JobPaths } from './job-files.ts';
import { JobReader } from './job-reader.ts';
import { isFinished, type JobSummary } from './job-summary.ts';
import { JobWriter } from './job-writer.ts';
import { KnownJobs } from './known-jobs.ts';
import { Quarantine } from './quarantine.ts';
import { RecordFiles } from './record-files.ts';
import { RecordLoader } from './record-loader.ts';
import { Trash } from './trash.ts';
import { UnsavedJobs } from './unsaved-jobs.ts';

/** How often that is tried again which the disk refused. */
const secondTryIntervalMs = 2_000;

interface StoreEvents {
  /** A job as it is now, and as it was before; undefined for a new one. */
  readonly change: [job: Job, before: Job | undefined];
  /** A job that is not as it was known, or was not known at all: its record could not be read before, or was replaced. */
  readonly found: [job: Job];
  /** A job that is gone for good, as it was known. */
  readonly removed: [summary: JobSummary];
}

export class JobStore extends EventEmitter<StoreEvents> {
  readonly directory: string;
  readonly #known: KnownJobs;
  readonly #unsaved: UnsavedJobs;
  readonly #frozenLogs = new FrozenLogs();
  readonly #indexFile: IndexFile;
  readonly #quarantine: Quarantine;
  readonly #trash: Trash;
  readonly #loader: RecordLoader;
  readonly #reader: JobReader;
  readonly #writer: JobWriter;
  readonly #stopSecondTries: () => void;

  constructor(directory: string, log: Logger) {
    super();
    this.setMaxListeners(0);
    this.directory = directory;
    const known = (this.#known = new KnownJobs(directory));
    const unsaved = (this.#unsaved = new UnsavedJobs(log));
    const indexFile = (this.#indexFile = new IndexFile(directory, log));
    const quarantine = (this.#quarantine = new Quarantine(directory, log));
    const trash = (this.#trash = new Trash(directory, log));
    const records = new RecordFiles(directory);
    const loader = (this.#loader = new RecordLoader({ directory, records, quarantine, log }));
    const onFound = (job: Job): void => void this.emit('found', job);
    const onChange = (job: Job, before: Job | undefined): void => void this.emit('change', job, before);
    const onRemoved = (summary: JobSummary): void => void this.emit('removed', summary);
    const reader = new JobReader({ known, unsaved, loader, records, quarantine, indexFile, onFound });
    this.#reader = reader;
    const told = { onChange, onRemoved };
    this.#writer = new JobWriter({ known, unsaved, reader, records, indexFile, trash, ...told });
    this.#stopSecondTries = every(secondTryIntervalMs, () => this.#tryAgain());
  }

  /** Makes the directories. Call once, before `load`. */
  async prepare(): Promise<void> {
    await this.#quarantine.prepare();
  }

  /**
   * Learns of every job: of finished ones from the index file where it knows them, of the others from their records. A
   * record that is damaged is set aside and reported; it stops nothing.
   */
  async load(): Promise<void> {
    const indexed = await this.#indexFile.read();
    const others: string[] = [];
    for (const id of await this.#loader.ids()) {
      const summary = indexed.get(id);
      if (summary) this.#known.setSummary(summary);
      else others.push(id);
    }
    await this.#take(this.#loader.load(others));
    await this.#tidyIndexFile();
  }

  async #take(loaded: AsyncIterable<readonly Job[]>): Promise<void> {
    for await (const jobs of loaded) {
      await this.#indexFile.add(jobs.map((job) => this.#known.set(job)).filter(isFinished));
      for (const job of jobs) this.emit('found', job);
    }
  }

  /** Gets rid of what only takes room: files of removed jobs, lines of the index file. Never rejects. */
  async tidy(): Promise<void> {
    await this.#trash.empty();
    await this.#tidyIndexFile();
  }

  /** The jobs whose end the disk refused so far are left out: on record they still run. */
  async #tidyIndexFile(): Promise<void> {
    await this.#indexFile.tidy(this.#known.finished().filter(({ id }) => !this.#unsaved.has(id)));
  }

  /** Writes what the disk refused so far, for the last time, and says what is lost with this process. */
  async close(): Promise<void> {
    this.#stopSecondTries();
    await this.#saveUnsaved();
    this.#unsaved.report();
  }

  /** Which part of the truth is in memory only, or on disk only, because the disk refused it; null when none is. */
  get fault(): string | null {
    return [this.#unsaved.fault, this.#loader.fault].filter((fault) => fault !== null).join('; ') || null;
  }

  /** Ids of the jobs without a record, or with one that cannot be read. @throws Error when the disk refuses. */
  async unrecorded(): Promise<string[]> {
    return [...(await this.#quarantine.ids()), ...this.#loader.unreadable.keys()];
  }

  paths(id: string): JobPaths {
    return jobPaths(this.directory, id);
  }

  /** Every job in the order of creation. */
  summaries(): JobSummary[] {
    return this.#known.summaries();
  }

  /** Jobs that match, newest first, at most `limit`, with ids below `before`. */
  select(matches: (summary: JobSummary) => boolean, limit: number, before?: string): JobSummary[] {
    return this.#known.select(matches, limit, before);
  }

  summary(id: string): JobSummary | undefined {
    return this.#known.summary(id);
  }

  /** Unfinished jobs in the order of creation. */
  unfinished(): Job[] {
    return this.#known.unfinished();
  }

  /** The id of the newest job, for ids that only ever grow. */
  newestId(): string | undefined {
    return this.#known.newestId();
  }

  /**
   * The job as it is now; undefined when there is none, or none any more: its record may turn out to be damaged or removed.
   * @throws AppError `storage-fault` when the disk fails just now.
   */
  async get(id: string): Promise<Job | undefined> {
    return this.#reader.get(id);
  }

  /**
   * Stores a new job durably.
   * @throws AppError `storage-fault`; then there is no such job.
   */
  async create(job: Job, topologyText: string | undefined): Promise<void> {
    await this.#writer.create(job, topologyText);
  }

  /**
   * Replaces a job by `change(job)`, first on disk, then for readers. When the disk refuses, readers see the change
   * all the same and writing is tried again until it works; with `mustPersist`, nothing changes and it throws.
   * `change` may return its argument: nothing happens then.
   */
  async update(id: string, change: (job: Job) => Job, options: { mustPersist?: boolean } = {}): Promise<Job> {
    return this.#writer.update(id, change, options.mustPersist ?? false);
  }

  /**
   * Removes a finished job. Crash or not, it is there whole or not at all; its files may take longer to go.
   * @throws Error when the disk refuses; the job is still there then.
   */
  async remove(id: string): Promise<void> {
    await this.#writer.remove(id);
    this.#frozenLogs.forget(id);
  }

  /** From now on readers get at most that many bytes of the log of an unfinished job, and it will not end behind them. */
  limitLog(id: string, bytes: number): void {
    this.#frozenLogs.limit(id, bytes);
  }

  /** The limit of `limitLog`, in bytes. */
  logLimit(id: string): number {
    return this.#frozenLogs.limitOf(id);
  }

  /** Ends the log of an unfinished job where its file ends now; bytes, null when the size of the file is unknown. */
  freezeLog(id: string): number | null {
    return this.#frozenLogs.freeze(id, this.paths(id).log);
  }

  /** The size at which this service ended a job's log, or will at the latest; undefined for one that it did not run. */
  frozenLogSize(id: string): number | undefined {
    return this.#frozenLogs.sizeOf(id);
  }

  #tryAgain(): void {
    void this.#saveUnsaved();
    // A job that can be read at last has to be recovered: not before the listener that recovers it is there.
    if (this.listenerCount('found') > 0) void this.#take(this.#loader.loadUnreadable());
  }

  /** In each job's own turn, so that an old record never overwrites a newer one. */
  async #saveUnsaved(): Promise<void> {
    for (const id of this.#unsaved.keys()) {
      // Removed since: then there is nothing to save.
      await this.update(id, (job) => ({ ...job })).catch(() => undefined);
    }
  }
}
