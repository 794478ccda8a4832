import { deferred, type Deferred } from '../../lib/async/deferred.ts';
import { Disposer, every } from '../../lib/async/disposal.ts';
import { isTerminal, type Job } from '../model/job.ts';
import { logExtent, logSize, readChunk } from '../log/log-file.ts';
import type { LogChunk, LogExtent } from '../model/job-log.ts';
import type { JobStore } from '../store/job-store.ts';
import { noSuchJob } from '../model/no-such-job.ts';

/** A job and how much of its log there was, when it was last looked at. Another object after every change. */
interface LogSnapshot {
  readonly job: Job;
  readonly extent: LogExtent;
}

const lookIntervalMs = 100;
/**
 * Of 64 KiB at most, so 4 MiB for a log that is followed. Followers differ by what the buffers of their sockets hold; with
 * less than that, they read for themselves, and each then holds a copy of its own.
 */
const keptChunks = 64;

/** One log that is followed. All who follow it share one look at its growth and, as far as they are in step, each read. */
export class LogTail {
  readonly #store: JobStore;
  readonly #id: string;
  readonly #file: string;
  /** By offset, the one that was asked for last at the end. */
  readonly #chunks = new Map<number, Promise<LogChunk>>();
  readonly #waiting = new Set<Deferred<void>>();
  readonly #disposer = new Disposer();
  #job: Job | undefined;
  #snapshot: LogSnapshot | undefined;
  #isLooking = false;

  /** The owner calls `dispose` when the last follower has gone. */
  constructor(store: JobStore, id: string) {
    this.#store = store;
    this.#id = id;
    this.#file = store.paths(id).log;
    const onChange = (job: Job): void => {
      if (job.id === id) this.#take(job);
    };
    store.on('change', onChange);
    this.#disposer.add(() => store.off('change', onChange));
    this.#disposer.add(every(lookIntervalMs, () => void this.#look()));
    void this.#look();
  }

  /** As the log was when it was last looked at; undefined before the first look. */
  get snapshot(): LogSnapshot | undefined {
    return this.#snapshot;
  }

  /**
   * A snapshot other than `seen`; waits until there is one. Undefined when `signal` is aborted.
   * @throws AppError `job-not-found`, `log-not-found`, `storage-fault`.
   */
  async next(seen: LogSnapshot | undefined, signal: AbortSignal): Promise<LogSnapshot | undefined> {
    while (this.#snapshot === seen && !signal.aborted) await this.#news(signal);
    return signal.aborted ? undefined : this.#snapshot;
  }

  /**
   * The chunk that begins at `offset`, of a log that can be read up to `end`; empty when the log has become
   * shorter. A follower that is not in step with others reads for itself.
   * @throws AppError `log-not-found`, `storage-fault`.
   */
  async read(offset: number, end: number): Promise<LogChunk> {
    const reading = this.#chunks.get(offset) ?? readChunk(this.#file, offset, end);
    this.#chunks.delete(offset);
    this.#chunks.set(offset, reading);
    for (const oldest of this.#chunks.keys()) {
      if (this.#chunks.size > keptChunks) this.#chunks.delete(oldest);
    }
    let isUseful = false;
    try {
      const chunk = await reading;
      isUseful = chunk.bytes.length > 0;
      return chunk;
    } finally {
      if (!isUseful) this.#chunks.delete(offset);
    }
  }

  dispose(): void {
    this.#disposer.dispose();
  }

  async #news(signal: AbortSignal): Promise<void> {
    const news = deferred<void>();
    const stop = (): void => news.resolve();
    this.#waiting.add(news);
    signal.addEventListener('abort', stop);
    try {
      await news.promise;
    } finally {
      signal.removeEventListener('abort', stop);
      this.#waiting.delete(news);
    }
  }

  /** Told by the store, so no state is missed however short it is. */
  #take(job: Job): void {
    this.#job = job;
    if (this.#snapshot) this.#show({ job, extent: this.#snapshot.extent });
    if (isTerminal(job.state)) void this.#look();
  }

  #show(snapshot: LogSnapshot): void {
    this.#snapshot = snapshot;
    for (const news of this.#waiting) news.resolve();
    // Nothing will change any more.
    if (snapshot.extent.complete) this.dispose();
  }

  /** One look at a time, or an old one could replace a newer one. Never rejects: the waiting followers get the error. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const found = this.#job ?? (await this.#store.get(this.#id));
      if (!found) throw noSuchJob(this.#id);
      // The job that the store reported meanwhile is newer.
      this.#job ??= found;
      await this.#measure(this.#job);
    } catch (error) {
      for (const news of this.#waiting) news.reject(error);
    } finally {
      this.#isLooking = false;
    }
  }

  /** The state before the size: a log that is measured after its job's end is whole. */
  async #measure(job: Job): Promise<void> {
    const known = this.#snapshot?.job === job ? this.#snapshot.extent : undefined;
    if (known && !isTerminal(job.state) && known.size === (await logSize(this.#file))) return;
    const extent = await logExtent(job, this.#file, () => this.#store.frozenLogSize(job.id));
    const newest = this.#job ?? job;
    this.#show({ job: newest, extent });
    // Another state meanwhile, perhaps the last.
    if (newest !== job) await this.#measure(newest);
  }
}
