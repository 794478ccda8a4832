/** Job records: on disk for good, unfinished ones in memory too, and an index of all for lists. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../lib/app-error.ts';
import { every } from '../../lib/disposal.ts';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import type { Logger } from '../../lib/logger.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import { IndexFile } from './index-file.ts';
import { isTerminal, type Job } from '../model/job.ts';
import { directoryMode, fileMode, jobPaths, sizeOf, syncDirectory, type JobPaths } from './job-files.ts';
import { JobIndex } from './job-index.ts';
import { isFinished, summarize, type JobSummary } from './job-summary.ts';
import { RecordFiles } from './record-files.ts';
import { storageFault, unreadableNow } from './store-fault.ts';
import { UnsavedJobs } from './unsaved-jobs.ts';
import { Trash } from './trash.ts';

const retryIntervalMs = 2_000;
/** A few megabytes as a rule; a request has 64 KiB at most (request.ts), so 200 MB at the very worst. */
const recordsKept = 1_000;

interface StoreEvents {
  readonly change: [job: Job];
  /** A job that is not as it was known, or was not known at all: its record could not be read before, or was replaced. */
  readonly found: [job: Job];
}

export class JobStore extends EventEmitter<StoreEvents> {
  readonly #directory: string;
  readonly #index = new JobIndex();
  readonly #indexFile: IndexFile;
  readonly #records: RecordFiles;
  readonly #trash: Trash;
  /** Records of finished jobs that were read lately: whoever watches asks for the same page again and again. */
  readonly #read = new LruCache<Job>(recordsKept);
  readonly #unfinished = new Map<string, Job>();
  /** Updates of one job happen one after the other: each sees what the one before it decided. */
  readonly #turns = new KeyedMutex();
  /** Records that are newer in memory than on disk, because the disk refused. */
  readonly #unsaved: UnsavedJobs;
  readonly #frozenLogs = new Map<string, number>();
  readonly #stopRetries: () => void;

  constructor(directory: string, log: Logger) {
    super();
    this.setMaxListeners(0);
    this.#directory = directory;
    this.#indexFile = new IndexFile(directory, log);
    this.#records = new RecordFiles(directory, log);
    this.#trash = new Trash(directory, log);
    this.#unsaved = new UnsavedJobs(log);
    this.#stopRetries = every(retryIntervalMs, () => {
      void this.#retryUnsaved();
      // Once there is somebody who takes further what the disk gives at last.
      if (this.listenerCount('found') > 0) void this.#take(this.#records.loadUnreadable());
    });
  }

  /**
   * Learns of every job: of finished ones from the index file where it knows them, of the others from their records. A
   * record that cannot be read is set aside and reported; it stops nothing.
   */
  async load(): Promise<void> {
    const known = await this.#indexFile.read();
    const unknown: string[] = [];
    for (const id of await this.#records.ids()) {
      const summary = known.get(id);
      if (summary) this.#index.set(summary);
      else unknown.push(id);
    }
    await this.#take(this.#records.load(unknown));
    await this.#indexFile.tidy(this.#finishedOnDisk());
  }

  async #take(found: AsyncIterable<readonly Job[]>): Promise<void> {
    for await (const jobs of found) {
      await this.#indexFile.add(jobs.map((job) => this.#remember(job)).filter(isFinished));
      for (const job of jobs) this.emit('found', job);
    }
  }

  /** Ids of the jobs without a record, or with one that cannot be read. @throws Error when the disk refuses. */
  async unrecorded(): Promise<string[]> {
    return [...(await this.#records.quarantined()), ...this.#records.unreadable.keys()];
  }

  /** Makes the directories. Call once, before `load`. */
  async prepare(): Promise<void> {
    await this.#records.prepare();
  }

  /** Gets rid of what only takes room: files of removed jobs, lines of the index file. Never rejects. */
  async tidy(): Promise<void> {
    await this.#trash.empty();
    await this.#indexFile.tidy(this.#finishedOnDisk());
  }

  /** What may stand in the index file: not those jobs whose end the disk refused so far. */
  #finishedOnDisk(): JobSummary[] {
    return this.#index.all().filter((job) => isFinished(job) && !this.#unsaved.has(job.id));
  }

  paths(id: string): JobPaths {
    return jobPaths(this.#directory, id);
  }

  get directory(): string {
    return this.#directory;
  }

  /** Which part of the truth is in memory only, or on disk only, because the disk refused it; null when none is. */
  get fault(): string | null {
    return [this.#unsaved.fault, this.#records.fault].filter((fault) => fault !== null).join('; ') || null;
  }

  #remember(job: Job): JobSummary {
    const summary = summarize(job, this.paths(job.id).topology);
    this.#read.delete(job.id);
    this.#index.set(summary);
    if (isTerminal(job.state)) this.#unfinished.delete(job.id);
    else this.#unfinished.set(job.id, job);
    return summary;
  }

  /** Every job in the order of creation. */
  summaries(): JobSummary[] {
    return this.#index.all();
  }

  /** Jobs that match, newest first, at most `limit`, with ids below `before`. */
  select(matches: (summary: JobSummary) => boolean, limit: number, before?: string): JobSummary[] {
    return this.#index.select(matches, limit, before);
  }

  summary(id: string): JobSummary | undefined {
    return this.#index.get(id);
  }

  /** Unfinished jobs in the order of creation. */
  unfinished(): Job[] {
    return [...this.#unfinished.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The id of the newest job, for ids that only ever grow. */
  newestId(): string | undefined {
    return this.#index.newest()?.id;
  }

  /**
   * The job as it is now. One whose record turns out to be damaged is set aside, one whose directory somebody removed is
   * forgotten: there is no such job any more.
   * @throws AppError `storage-fault` when the disk fails just now.
   */
  async get(id: string): Promise<Job | undefined> {
    const held = this.#unfinished.get(id) ?? this.#unsaved.get(id);
    if (held) return held;
    const summary = this.#index.get(id);
    const read = this.#read.get(id);
    if (read) return read;
    if (!summary) {
      const cause = this.#records.unreadable.get(id);
      if (cause === undefined) return undefined;
      throw unreadableNow(id, cause);
    }
    const reading = await this.#records.read(id);
    switch (reading.kind) {
      case 'sound':
        // Unless it was changed or removed meanwhile: this reading is of the past then.
        if (this.#index.get(id) === summary) await this.#learn(summary, reading.job);
        return reading.job;
      case 'damaged':
        // Of many who read it, one reports it; and not when it was removed meanwhile.
        if (this.#index.delete(id)) await this.#records.setAside(id, reading.cause);
        return undefined;
      case 'missing':
        // Removed behind our back; or by us in this moment, and perhaps made anew since.
        if (this.#index.get(id) === summary) this.#index.delete(id);
        return undefined;
      case 'unreadable':
        throw unreadableNow(id, reading.error);
    }
  }

  async #learn(known: JobSummary, job: Job): Promise<void> {
    const { size: _size, ...facts } = known;
    const { size: _measured, ...recorded } = summarize(job, this.paths(job.id).topology);
    const isContradicted = !isDeepStrictEqual(facts, recorded);
    if (isContradicted) this.#remember(job);
    if (isTerminal(job.state)) this.#read.set(job.id, job);
    if (!isContradicted) return;
    // Somebody spoiled the index file, or put an older record in the place of this one. It has run, so what waits on
    // record must not.
    if (!isTerminal(job.state) && job.state !== 'queued') this.emit('found', job);
    await this.#indexFile.discard();
  }

  /**
   * Stores a new job durably.
   * @throws AppError `storage-fault`; then there is no such job.
   */
  async create(job: Job, topologyText: string | undefined): Promise<void> {
    const paths = this.paths(job.id);
    try {
      await mkdir(paths.directory, { mode: directoryMode });
      // Synced like the record: after a power cut, a queued job must not run with a part of its topology.
      if (topologyText !== undefined)
        await writeFile(paths.topology, topologyText, { mode: fileMode, flush: true });
      await writeFile(paths.log, '', { mode: fileMode });
      await this.#records.write(job);
      await syncDirectory(this.#directory);
    } catch (error) {
      this.#unsaved.note(job.id, error);
      await rm(paths.directory, { recursive: true, force: true }).catch(() => undefined);
      throw storageFault('the job', error);
    }
    this.#remember(job);
    this.emit('change', job);
  }

  /**
   * Replaces a job by `change(job)`, first on disk, then for readers. When the disk refuses, readers see the change
   * all the same and writing is tried again until it works; with `mustPersist`, nothing changes and it throws.
   * `change` may return its argument: nothing happens then.
   */
  async update(id: string, change: (job: Job) => Job, options: { mustPersist?: boolean } = {}): Promise<Job> {
    return this.#turns.run(id, async () => {
      const current = await this.get(id);
      if (!current) throw new AppError('job-not-found', `there is no job ${id}`);
      const next = change(current);
      if (next !== current) await this.#commit(next, options.mustPersist ?? false);
      return next;
    });
  }

  async #commit(job: Job, mustPersist: boolean): Promise<void> {
    try {
      await this.#records.write(job);
      this.#unsaved.delete(job.id);
    } catch (error) {
      this.#unsaved.note(job.id, error);
      if (mustPersist) throw storageFault('the change', error);
      this.#unsaved.set(job.id, job);
    }
    const summary = this.#remember(job);
    this.emit('change', job);
    // Not before the record is on disk: a power cut must not leave a job finished in the index and running on record.
    if (isFinished(summary) && !this.#unsaved.has(job.id)) await this.#indexFile.add([summary]);
  }

  /** In each job's own turn, so that an old record never overwrites a newer one. */
  async #retryUnsaved(): Promise<void> {
    for (const id of this.#unsaved.keys()) {
      // Removed since: then there is nothing to save.
      await this.update(id, (job) => ({ ...job })).catch(() => undefined);
    }
  }

  /**
   * Ends the log of an unfinished job where it is now; gives its size in bytes, null when it cannot be looked at: then it
   * ends where its file does. Looks and notes in one step, so whoever measures a longer log finds this note afterwards
   * (`frozenLogSize`).
   */
  freezeLog(id: string): number | null {
    const size = sizeOf(this.paths(id).log);
    if (size !== null) this.#frozenLogs.set(id, size);
    return size;
  }

  /** The size at which this service ended a job's log; undefined while it may grow. */
  frozenLogSize(id: string): number | undefined {
    return this.#frozenLogs.get(id);
  }

  /**
   * Removes a finished job, in its turn, or an update under way would bring it back. Crash or not, it is there whole or
   * not at all; its files may take longer to go.
   * @throws Error when the disk refuses; the job is still there then.
   */
  async remove(id: string): Promise<void> {
    await this.#turns.run(id, async () => {
      await this.#trash.take(id);
      this.#index.delete(id);
      this.#read.delete(id);
      this.#unsaved.delete(id);
      this.#frozenLogs.delete(id);
      await this.#trash.erase(id);
    });
  }

  /** Writes what the disk refused so far, for the last time, and says what is lost with this process. */
  async close(): Promise<void> {
    this.#stopRetries();
    await this.#retryUnsaved();
    this.#unsaved.report();
  }
}
