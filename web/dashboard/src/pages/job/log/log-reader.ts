/**
 * Keeps the visible part of a log in memory (log-rows.ts): loads more at both ends, follows new output, and continues at the same
 * byte after the service was unreachable.
 */
import { deferred } from '../../../../../../src/lib/async/deferred.ts';
import { Store } from '../../../api/store.ts';
import { BlockCache, blockBytes, type ReadRange } from './block-cache.ts';
import { insist } from './insist.ts';
import { LineIndex, countLineEnds, linesAround } from './line-index.ts';
import { LogRows, type RowLimits } from './log-rows.ts';
import { partAround } from './part-around.ts';

export interface LogSource {
  /** The current size of the log in bytes, and whether it is complete. */
  readonly extent: (signal: AbortSignal) => Promise<{ readonly size: number; readonly isComplete: boolean }>;
  readonly read: ReadRange;
  /** The bytes from `offset` on, until the job has ended. @throws when the connection is lost. */
  readonly follow: (offset: number, signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

/** The position that the view should show: a byte, or the end. A new object is a new wish. */
export interface Goal {
  readonly offset: number | 'end';
}

export interface ReaderOptions {
  readonly limits?: RowLimits;
  readonly retryMs?: number;
  /** The number of blocks to keep. */
  readonly keptBlocks?: number;
  /** Schedules a notification of listeners: in a browser, with the next frame. */
  readonly soon?: (tell: () => void) => void;
}

const usual: Required<ReaderOptions> = {
  limits: { bytes: 4 * 1024 * 1024, rows: 60_000 },
  retryMs: 1_000,
  keptBlocks: 24,
  soon: queueMicrotask,
};
/** The bytes per request. */
const partBytes = blockBytes;

export class LogReader {
  readonly #source: LogSource;
  readonly #options: Required<ReaderOptions>;
  readonly #cache: BlockCache;
  readonly index = new LineIndex();
  /** Increases with every change. */
  readonly changes = new Store(0);
  rows: LogRows;
  size = 0;
  isComplete = false;
  isFollowing = false;
  isLoading = true;
  /** The last error; the reader retries unless `isGone`. */
  problem: Error | undefined;
  isGone = false;
  goal: Goal | undefined;
  #opened = new AbortController();
  /** Aborted while the log is not visible. */
  #watching = new AbortController();
  #wantsBelow = false;
  #isReadingAbove = false;
  #isTelling = false;
  #wake = (): void => undefined;

  constructor(source: LogSource, options: ReaderOptions = {}) {
    this.#source = source;
    this.#options = { ...usual, ...options };
    this.#cache = new BlockCache(source.read, this.#options.keptBlocks);
    this.rows = new LogRows(0, this.#options.limits);
  }

  readonly read: ReadRange = async (start, end, signal) => this.#cache.read(start, end, signal);

  /** Whether the whole log is in memory. */
  get isWhole(): boolean {
    return this.rows.start === 0 && this.rows.end >= this.size;
  }

  get isAtEnd(): boolean {
    return this.rows.end >= this.size;
  }

  #changed(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    this.#options.soon(() => {
      this.#isTelling = false;
      this.changes.set(this.changes.get() + 1);
    });
  }

  close(): void {
    this.#opened.abort(new Error('the log was closed'));
  }

  /** Shows the part around a byte, or the end. Other parts are dropped from memory. */
  open(offset: number | 'end', { follow = false } = {}): void {
    this.close();
    const opened = new AbortController();
    this.#opened = opened;
    this.isFollowing = follow;
    this.isLoading = true;
    this.#isReadingAbove = false;
    this.problem = undefined;
    this.isGone = false;
    this.#changed();
    void this.#run(offset, opened.signal);
  }

  async #run(offset: number | 'end', signal: AbortSignal): Promise<void> {
    try {
      await this.insist(signal, async () => this.#begin(offset, signal));
      for (;;) {
        const isIdle = await this.insist(signal, async () => this.#step(signal));
        if (isIdle) await this.#woken(signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.problem = error instanceof Error ? error : new Error(String(error));
      this.isGone = true;
      this.isLoading = false;
      this.#changed();
    }
  }

  /** Retries while the service is unreachable. @throws the refusal of the service. */
  async insist<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T> {
    const { retryMs } = this.#options;
    return insist(action, { signal, retryMs, told: (problem) => this.#tell(problem) });
  }

  #tell(problem: Error | undefined): void {
    if (this.problem === problem) return;
    this.problem = problem;
    this.#changed();
  }

  async #woken(signal: AbortSignal): Promise<void> {
    const woken = deferred<void>();
    const wake = (): void => woken.resolve();
    this.#wake = wake;
    signal.addEventListener('abort', wake);
    await woken.promise;
    signal.removeEventListener('abort', wake);
    signal.throwIfAborted();
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { size, isComplete } = await this.#source.extent(signal);
    this.size = Math.max(size, this.size);
    this.isComplete = isComplete;
  }

  async #begin(wanted: number | 'end', signal: AbortSignal): Promise<void> {
    await this.#ask(signal);
    const part = { size: this.size, offset: wanted, limits: this.#options.limits };
    this.rows = await partAround(part, async (start, end) => this.read(start, end, signal));
    this.goal = { offset: wanted };
    await this.numberLines(signal);
    this.isLoading = false;
    this.#changed();
  }

  /** Numbers the rows once the lines before them are counted. */
  async numberLines(signal: AbortSignal): Promise<void> {
    const { rows } = this;
    const counted = this.index.before(rows.start);
    const [first] = rows.rows;
    if (rows.firstNumber !== undefined || !counted || !first) return;
    const before = await this.read(counted.blockStart, rows.start, signal);
    rows.firstNumber = counted.lineEnds + countLineEnds(before) + 1 - first.ordinal;
    this.#changed();
  }

  /** One step at the lower end. Returns whether there is nothing to do. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { rows, size } = this;
    const isSmall = rows.end >= size || size <= this.#options.limits.bytes;
    const isWanted = this.isFollowing || this.#wantsBelow || (isSmall && !rows.isFull);
    if (!isWanted) return true;
    if (rows.end < this.size) await this.#readBelow(signal);
    else if (this.isComplete || this.#watching.signal.aborted) return true;
    else await this.#stream(signal);
    return false;
  }

  async #readBelow(signal: AbortSignal): Promise<void> {
    const { end } = this.rows;
    const bytes = await this.read(end, Math.min(end + partBytes, this.size), signal);
    this.#append(end, bytes.subarray(0, linesAround(bytes, 0, this.#options.limits.rows / 4).to));
  }

  /** Adds the bytes at `offset`; ignores bytes that are not needed any more. */
  #append(offset: number, bytes: Uint8Array): boolean {
    const { rows } = this;
    if (offset !== rows.end) return false;
    rows.append(bytes);
    this.size = Math.max(this.size, rows.end);
    this.#wantsBelow = false;
    rows.trimTop();
    this.#changed();
    return true;
  }

  async #stream(signal: AbortSignal): Promise<void> {
    const watching = this.#watching.signal;
    let at = this.rows.end;
    try {
      for await (const bytes of this.#source.follow(at, AbortSignal.any([signal, watching]))) {
        this.#tell(undefined);
        // New output must not push away the part that the user reads.
        const hasRoom = this.isFollowing || this.#wantsBelow || !this.rows.isFull;
        this.size = Math.max(this.size, at + bytes.length);
        if (!hasRoom || !this.#append(at, bytes)) return;
        at += bytes.length;
      }
    } catch (error) {
      if (signal.aborted || !watching.aborted) throw error;
    }
    signal.throwIfAborted();
    if (watching.aborted) return;
    await this.#ask(signal);
    this.#changed();
  }

  /** Loads the part before `rows.start`. */
  async above(): Promise<void> {
    const { start } = this.rows;
    const { signal } = this.#opened;
    if (this.#isReadingAbove || start === 0) return;
    this.#isReadingAbove = true;
    try {
      const bytes = await this.insist(signal, async () =>
        this.read(Math.max(0, start - partBytes), start, signal),
      );
      if (this.rows.start !== start) return;
      this.rows.prepend(bytes.subarray(linesAround(bytes, bytes.length, this.#options.limits.rows / 4).from));
      // A stream that continues further down is useless now: its next piece is ignored.
      if (!this.isFollowing) this.rows.trimBottom();
    } catch {
      // Another part was opened, or the log is gone; the other end reports that.
    } finally {
      if (!signal.aborted) this.#isReadingAbove = false;
    }
    this.#changed();
  }

  below(): void {
    this.#wantsBelow = true;
    this.#wake();
  }

  /** Size and state from the job record; the log has at least this size. */
  note({ size, hasEnded }: { readonly size: number; readonly hasEnded: boolean }): void {
    if (size > this.size) {
      this.size = size;
      this.#changed();
      this.#wake();
    } else if (hasEnded && !this.isComplete) this.#wake();
  }

  /** Stops following while the page is hidden, and then continues where it was. */
  setWatched(isWatched: boolean): void {
    if (!isWatched) return this.#watching.abort(new Error('the log is not visible'));
    if (!this.#watching.signal.aborted) return;
    this.#watching = new AbortController();
    this.#wake();
  }

  setFollowing(isFollowing: boolean): void {
    if (this.isFollowing === isFollowing) return;
    // The part between need not be read.
    if (isFollowing && this.size - this.rows.end > partBytes) return this.open('end', { follow: true });
    this.isFollowing = isFollowing;
    this.goal = isFollowing ? { offset: 'end' } : undefined;
    this.#changed();
    this.#wake();
  }

  /** Shows a byte, at once when it is in memory. */
  goTo(offset: number): void {
    const isHere = offset >= this.rows.start && offset < this.rows.end;
    if (!isHere) return this.open(offset);
    this.isFollowing = false;
    this.goal = { offset };
    this.#changed();
  }

  /** Shows the end, and follows it while the job runs. */
  toEnd(): void {
    if (!this.isComplete) return this.isFollowing ? undefined : this.setFollowing(true);
    if (!this.isAtEnd) return this.open('end');
    this.goal = { offset: 'end' };
    this.#changed();
  }
}
