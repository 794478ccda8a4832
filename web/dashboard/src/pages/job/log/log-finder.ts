/** Searches a whole log, and the lines that are added later. */
import { Store } from '../../../api/store.ts';
import type { LogReader } from './log-reader.ts';
import { LogSearch, type Hit } from './log-search.ts';

/** The bytes per step: a step takes some milliseconds. */
const stepBytes = 1024 * 1024;
/** To draw the page after every step would take most of the time. */
const tellMs = 100;

export interface Finding {
  readonly text: string;
  readonly hits: readonly Hit[];
  /** The number of matching lines so far. */
  readonly count: number;
  /** The number of searched bytes. */
  readonly end: number;
  readonly isLooking: boolean;
}

export class LogFinder {
  readonly #reader: LogReader;
  readonly finding = new Store<Finding>({ text: '', hits: [], count: 0, end: 0, isLooking: false });
  #text = '';
  #search = new LogSearch('');
  #current = new AbortController();
  #isLooking = false;

  constructor(reader: LogReader) {
    this.#reader = reader;
  }

  /** An empty text stops the search. */
  find(text: string): void {
    this.stop();
    this.#current = new AbortController();
    this.#text = text;
    this.#search = new LogSearch(text);
    this.#tell();
    this.look();
  }

  stop(): void {
    this.#current.abort();
    this.#isLooking = false;
    this.#tell();
  }

  /** Continues when the log has grown. */
  look(): void {
    const isOver = this.#search.end >= this.#reader.size && !this.#reader.isComplete;
    if (this.#text === '' || this.#isLooking || this.#search.isOver || isOver || this.#current.signal.aborted)
      return;
    this.#isLooking = true;
    this.#tell();
    const { signal } = this.#current;
    const ended = (): void => {
      if (signal.aborted) return;
      this.#isLooking = false;
      this.#tell();
    };
    // After a lost connection, the search continues with the next change of the log.
    this.#lookThrough(this.#search, signal).then(ended, ended);
  }

  async #lookThrough(search: LogSearch, signal: AbortSignal): Promise<void> {
    const reader = this.#reader;
    let toldMs = 0;
    while (search.end < reader.size) {
      const from = search.end;
      const bytes = await reader.read(from, Math.min(from + stepBytes, reader.size), signal);
      signal.throwIfAborted();
      reader.index.add(from, bytes);
      search.add(bytes);
      if (performance.now() - toldMs > tellMs) {
        toldMs = performance.now();
        this.#tell();
      }
    }
    if (reader.isComplete) search.finish();
    await reader.numberLines(signal);
  }

  #tell(): void {
    const { hits, count, end } = this.#search;
    this.finding.set({ text: this.#text, hits, count, end, isLooking: this.#isLooking });
  }
}
