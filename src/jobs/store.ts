/** Job records: on disk for good, unfinished ones in memory too, and an index of all for lists. */
import { statSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EventEmitter } from 'node:events';
import { AppError, messageOf, systemCode } from '../lib/app-error.ts';
import { every } from '../lib/disposal.ts';
import type { Logger } from '../lib/logger.ts';
import { loadRecords, quarantineName } from './load-records.ts';
import { isTerminal, jobSchema, type Job, type JobState } from './job.ts';
import {
  directoryMode,
  fileMode,
  jobPaths,
  syncDirectory,
  writeDurably,
  type JobPaths,
} from './job-files.ts';

/** What lists need to know of a job without opening its record. */
export interface JobSummary {
  readonly id: string;
  readonly state: JobState;
  readonly action: Job['action'];
  readonly instance: string | null;
  readonly workdir: string;
  readonly labels: Job['labels'];
  readonly finishedAt: string | null;
}

const retryIntervalMs = 2_000;

function summarize(job: Job): JobSummary {
  const { id, state, action, instance, workdir, labels, finishedAt } = job;
  return { id, state, action, instance, workdir, labels, finishedAt };
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

function compareIds(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function storageFault(what: string, cause: unknown): AppError {
  const message = `${what} cannot be recorded: the jobs directory is not writable now`;
  return new AppError('storage-fault', message, { cause, retryAfterSeconds: 10 });
}

export class JobStore extends EventEmitter<{ change: [job: Job] }> {
  readonly #directory: string;
  readonly #log: Logger;
  readonly #index = new Map<string, JobSummary>();
  readonly #unfinished = new Map<string, Job>();
  /** Updates of one job happen one after the other: each sees what the one before it decided. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Records that are newer in memory than on disk, because the disk refused. */
  readonly #unsaved = new Map<string, Job>();
  readonly #frozenLogs = new Map<string, number>();
  readonly #stopRetries: () => void;
  #lastFault = '';

  constructor(directory: string, log: Logger) {
    super();
    this.setMaxListeners(0);
    this.#directory = directory;
    this.#log = log;
    this.#stopRetries = every(retryIntervalMs, () => void this.#retryUnsaved());
  }

  /** Reads every record. One that cannot be read is set aside and reported; it stops nothing. */
  load(): void {
    for (const job of loadRecords(this.#directory, this.#log)) this.#remember(job);
  }

  /** Makes the directories. Call once, before `load`. */
  async prepare(): Promise<void> {
    await mkdir(path.join(this.#directory, quarantineName), { recursive: true, mode: directoryMode });
  }

  paths(id: string): JobPaths {
    return jobPaths(this.#directory, id);
  }

  get directory(): string {
    return this.#directory;
  }

  /** Which part of the truth is in memory only, because the disk refused it; null when all is on disk. */
  get fault(): string | null {
    const count = this.#unsaved.size;
    return count === 0 ? null : `${count} job record(s) cannot be written: ${this.#lastFault}`;
  }

  #remember(job: Job): void {
    this.#index.set(job.id, summarize(job));
    if (isTerminal(job.state)) this.#unfinished.delete(job.id);
    else this.#unfinished.set(job.id, job);
  }

  /** Every job in the order of creation. */
  summaries(): JobSummary[] {
    return [...this.#index.values()];
  }

  summary(id: string): JobSummary | undefined {
    return this.#index.get(id);
  }

  /** Unfinished jobs in the order of creation. */
  unfinished(): Job[] {
    return [...this.#unfinished.values()].toSorted((a, b) => compareIds(a.id, b.id));
  }

  /** The id of the newest job, for ids that only ever grow. */
  newestId(): string | undefined {
    return [...this.#index.keys()].at(-1);
  }

  async get(id: string): Promise<Job | undefined> {
    const held = this.#unfinished.get(id) ?? this.#unsaved.get(id);
    if (held) return held;
    if (!this.#index.has(id)) return undefined;
    try {
      return jobSchema.parse(JSON.parse(await readFile(this.paths(id).record, 'utf8')));
    } catch (error) {
      // Deleted since, or the disk fails just now.
      if (!this.#index.has(id) || systemCode(error) === 'ENOENT') return undefined;
      throw new AppError('storage-fault', `the record of ${id} cannot be read at the moment`, {
        cause: error,
      });
    }
  }

  /**
   * Stores a new job durably.
   * @throws AppError `storage-fault`; then there is no such job.
   */
  async create(job: Job, topologyText: string | undefined): Promise<void> {
    const paths = this.paths(job.id);
    try {
      await mkdir(paths.directory, { mode: directoryMode });
      if (topologyText !== undefined) await writeFile(paths.topology, topologyText, { mode: fileMode });
      await writeFile(paths.log, '', { mode: fileMode });
      await writeDurably(paths.record, serialize(job));
      await syncDirectory(this.#directory);
    } catch (error) {
      this.#noteFault(error, job.id);
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
    return this.#inTurn(id, async () => {
      const current = await this.get(id);
      if (!current) throw new AppError('job-not-found', `there is no job ${id}`);
      const next = change(current);
      if (next !== current) await this.#commit(next, options.mustPersist ?? false);
      return next;
    });
  }

  async #inTurn<T>(id: string, task: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(task);
    const settled = turn.catch(() => undefined);
    this.#turns.set(id, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(id) === settled) this.#turns.delete(id);
    }
  }

  async #commit(job: Job, mustPersist: boolean): Promise<void> {
    try {
      await this.#write(job);
      this.#unsaved.delete(job.id);
    } catch (error) {
      this.#noteFault(error, job.id);
      if (mustPersist) throw storageFault('the change', error);
      this.#unsaved.set(job.id, job);
    }
    this.#remember(job);
    this.emit('change', job);
  }

  async #write(job: Job): Promise<void> {
    const { directory, record } = this.paths(job.id);
    await writeDurably(record, serialize(job)).catch(async (error: unknown) => {
      // Somebody removed the directory of a job that is not finished: its record is worth a new one.
      if (systemCode(error) !== 'ENOENT') throw error;
      await mkdir(directory, { mode: directoryMode });
      await writeDurably(record, serialize(job));
    });
  }

  #noteFault(error: unknown, id: string): void {
    const fault = messageOf(error);
    // Tried again every few seconds: once in the log is enough.
    if (this.#unsaved.has(id) && fault === this.#lastFault) return;
    this.#lastFault = fault;
    this.#log.error('a job record cannot be written', { job: id, cause: messageOf(error) });
  }

  /** In each job's own turn, so that an old record never overwrites a newer one. */
  async #retryUnsaved(): Promise<void> {
    for (const id of this.#unsaved.keys()) {
      // Removed since: then there is nothing to save.
      await this.update(id, (job) => ({ ...job })).catch(() => undefined);
    }
  }

  /**
   * Ends the log of an unfinished job where it is now; gives its size in bytes. Looks and notes in one step, so whoever
   * measures a longer log finds this note afterwards (`frozenLogSize`).
   */
  freezeLog(id: string): number {
    const size = sizeOf(this.paths(id).log);
    this.#frozenLogs.set(id, size);
    return size;
  }

  /** The size at which this service ended a job's log; undefined while it may grow. */
  frozenLogSize(id: string): number | undefined {
    return this.#frozenLogs.get(id);
  }

  /** Forgets a finished job and removes its files; in its turn, or an update under way would bring it back. */
  async remove(id: string): Promise<void> {
    await this.#inTurn(id, async () => {
      this.#index.delete(id);
      this.#unsaved.delete(id);
      this.#frozenLogs.delete(id);
      const { directory, record, process } = this.paths(id);
      // One after the other: a crash in between leaves either the job as it is or what is plainly the rest of one. A note
      // of a process without a record would look like a running job whose record was lost.
      for (const file of [process, record]) await rm(file, { force: true });
      await rm(directory, { recursive: true, force: true });
    });
  }

  /** Writes what the disk refused so far, for the last time, and says what is lost with this process. */
  async close(): Promise<void> {
    this.#stopRetries();
    await this.#retryUnsaved();
    for (const { id, state } of this.#unsaved.values()) {
      this.#log.error('the last state of a job is not on disk; the next start will have to find it out', {
        job: id,
        state,
      });
    }
  }
}

function serialize(job: Job): string {
  return `${JSON.stringify(job, null, 2)}\n`;
}
