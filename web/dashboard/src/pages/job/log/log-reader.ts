/**
 * Has the part of a log in memory that somebody looks at (log-rows.ts): reads on at both ends, follows what is printed, and goes
 * on from the very byte where it was when the service was away.
 */
import { deferred } from '../../../../../../src/lib/async/deferred.ts';
import { Store } from '../../../api/store.ts';
import { BlockCache, blockBytes, type ReadRange } from './block-cache.ts';
import { insist } from './insist.ts';
import { LineIndex, countLineEnds, linesAround } from './line-index.ts';
import { LogRows, type RowLimits } from './log-rows.ts';
import { partAround } from './part-around.ts';

export interface LogSource {
  /** How long the log is now, in bytes, and whether it has come to its end. */
  readonly extent: (signal: AbortSignal) => Promise<{ readonly size: number; readonly isComplete: boolean }>;
  readonly read: ReadRange;
  /** What comes from that byte on, until the job has ended. @throws when the connection is lost. */
  readonly follow: (offset: number, signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

/** Where the view is to go: to a byte, or to the end. Another object is another wish. */
export interface Goal {
  readonly offset: number | 'end';
}

export interface ReaderOptions {
  readonly limits?: RowLimits;
  readonly retryMs?: number;
  /** Blocks that are kept. */
  readonly keptBlocks?: number;
  /** When others are told that something is different: in a browser, with the next picture. */
  readonly soon?: (tell: () => void) => void;
}

const usual: Required<ReaderOptions> = {
  limits: { bytes: 4 * 1024 * 1024, rows: 60_000 },
  retryMs: 1_000,
  keptBlocks: 24,
  soon: queueMicrotask,
};
/** So much is read at once. */
const partBytes = blockBytes;

export class LogReader {
  readonly #source: LogSource;
  readonly #options: Required<ReaderOptions>;
  readonly #cache: BlockCache;
  readonly index = new LineIndex();
  /** Counts whenever something is different. */
  readonly changes = new Store(0);
  rows: LogRows;
  size = 0;
  isComplete = false;
  isFollowing = false;
  isLoading = true;
  /** Why nothing comes; it is tried again, unless `isGone`. */
  problem: Error | undefined;
  isGone = false;
  goal: Goal | undefined;
  #opened = new AbortController();
  /** Aborted when nobody looks any more. */
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

  /** Whether all of the log is in memory. */
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
    this.#opened.abort(new Error('the log is not looked at any more'));
  }

  /** Shows the part around a byte, or the end. What was in memory is given up, unless it is there. */
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

  /** Tries again for as long as the service is away. @throws what the service refuses with. */
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

  /** Numbers the lines in memory when those before them were counted. */
  async numberLines(signal: AbortSignal): Promise<void> {
    const { rows } = this;
    const counted = this.index.before(rows.start);
    const [first] = rows.rows;
    if (rows.firstNumber !== undefined || !counted || !first) return;
    const before = await this.read(counted.blockStart, rows.start, signal);
    rows.firstNumber = counted.lineEnds + countLineEnds(before) + 1 - first.ordinal;
    this.#changed();
  }

  /** One step at the lower end; gives whether there is nothing to do. */
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

  /** Takes what follows at `offset`; not what has become superfluous meanwhile. */
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
        // Who reads further up does not lose it to what is printed.
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

  /** Whether something comes before what is in memory is told by `rows.start`. */
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
      // A stream that goes on from further down is of no use any more: its next piece is not taken.
      if (!this.isFollowing) this.rows.trimBottom();
    } catch {
      // Another part is looked at, or the log is gone, which the other end tells.
    } finally {
      if (!signal.aborted) this.#isReadingAbove = false;
    }
    this.#changed();
  }

  below(): void {
    this.#wantsBelow = true;
    this.#wake();
  }

  /** What the record of the job says; the log is at least as long. */
  note({ size, hasEnded }: { readonly size: number; readonly hasEnded: boolean }): void {
    if (size > this.size) {
      this.size = size;
      this.#changed();
      this.#wake();
    } else if (hasEnded && !this.isComplete) this.#wake();
  }

  /** Follows nothing while nobody looks, and then goes on where it was. */
  setWatched(isWatched: boolean): void {
    if (!isWatched) return this.#watching.abort(new Error('nobody looks at the log'));
    if (!this.#watching.signal.aborted) return;
    this.#watching = new AbortController();
    this.#wake();
  }

  setFollowing(isFollowing: boolean): void {
    if (this.isFollowing === isFollowing) return;
    // What lies between need not be read.
    if (isFollowing && this.size - this.rows.end > partBytes) return this.open('end', { follow: true });
    this.isFollowing = isFollowing;
    this.goal = isFollowing ? { offset: 'end' } : undefined;
    this.#changed();
    this.#wake();
  }

  /** Goes to a byte: at once when it is in memory. */
  goTo(offset: number): void {
    const isHere = offset >= this.rows.start && offset < this.rows.end;
    if (!isHere) return this.open(offset);
    this.isFollowing = false;
    this.goal = { offset };
    this.#changed();
  }

  /** Goes to the end, and stays there while the job runs. */
  toEnd(): void {
    if (!this.isComplete) return this.isFollowing ? undefined : this.setFollowing(true);
    if (!this.isAtEnd) return this.open('end');
    this.goal = { offset: 'end' };
    this.#changed();
  }
}
