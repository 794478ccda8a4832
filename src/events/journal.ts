/**
 * The events that happened lately, on disk, so that clients go on where they were after a restart of the service. The
 * records of the jobs are the truth: whatever becomes of the journal, nothing of a job is lost, and clients begin anew.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { Semaphore } from '../lib/async/semaphore.ts';
import { writeDurably } from '../lib/files/write-durably.ts';
import type { FeedState } from './feed-state.ts';
import type { FeedEvent } from './model/event.ts';
import {
  findEvent,
  parseEventId,
  readEvents,
  readState,
  segmentAt,
  segmentNamed,
  stateLines,
  type Segment,
} from './segment.ts';

export interface JournalLimits {
  /** How many bytes of events a file may have before the next one is begun. */
  readonly segmentBytes: number;
  /** How many bytes all files may have together; those of the newest one do not count. */
  readonly totalBytes: number;
}

/** For some 60,000 events. */
const defaultLimits: JournalLimits = { segmentBytes: 4 * 1024 * 1024, totalBytes: 32 * 1024 * 1024 };

/** After the disk refused, how long until it is asked again. */
const retryMs = 2_000;

/** Hundreds of clients that return at once would fill the memory and delay all other requests. */
const readersAtOnce = 4;

const [directoryMode, fileMode] = [0o700, 0o600];

/** A place in the journal: behind the event of that number. */
export interface Place {
  readonly number: number;
  /** Where in which file that is, when it was looked for. */
  readonly at?: { readonly segment: Segment; readonly offset: number };
}

interface Reading {
  readonly events: readonly FeedEvent[];
  /** Behind them. */
  readonly next: Place;
}

interface JournalDeps {
  readonly directory: string;
  readonly log: Logger;
  readonly limits?: JournalLimits;
}

export class Journal {
  readonly #directory: string;
  readonly #log: Logger;
  readonly #limits: JournalLimits;
  readonly #readers = new Semaphore(readersAtOnce);
  #feed = randomFeed();
  /** Oldest first, all of this feed. */
  #segments: Segment[] = [];
  #handle: FileHandle | undefined;
  #segmentBytes = 0;
  #segmentLimit = 0;
  #isClosed = false;
  #failedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ directory, log, limits = defaultLimits }: JournalDeps) {
    this.#directory = directory;
    this.#log = log;
    this.#limits = limits;
  }

  /** Names this journal in the ids of its events. Another one after the disk refused: what comes then may get lost. */
  get feed(): string {
    return this.#feed;
  }

  /** Whether the next event needs `begin` before it: at first, when the file is full, and after the disk refused. */
  get needsBegin(): boolean {
    if (this.#isClosed) return false;
    if (this.#handle) return this.#segmentBytes > this.#segmentLimit;
    return performance.now() - this.#failedAtMs > retryMs;
  }

  /** The journal of an earlier service; undefined if there is none or it is not usable. Never rejects. */
  async load(tailBytes: number): Promise<Awaited<ReturnType<typeof readState>> | undefined> {
    let newest: Segment | undefined;
    try {
      await mkdir(this.#directory, { recursive: true, mode: directoryMode });
      const segments = await this.#found();
      newest = segments.at(-1);
      if (newest === undefined) return undefined;
      const loaded = await readState(newest, tailBytes);
      const { feed } = newest;
      this.#feed = feed;
      this.#segments = segments.filter((segment) => segment.feed === feed);
      return loaded;
    } catch (error) {
      this.#log.error('the journal of events cannot be used; clients of /events begin anew', {
        file: newest?.file ?? this.#directory,
        cause: messageOf(error),
      });
      // A person may want to see what it is. One is enough.
      if (newest) await rename(newest.file, `${this.#directory}/damaged`).catch(() => undefined);
      return undefined;
    }
  }

  async #found(): Promise<Segment[]> {
    const names = await readdir(this.#directory);
    return names
      .flatMap((name) => segmentNamed(this.#directory, name) ?? [])
      .toSorted((one, other) => one.first - other.first);
  }

  /** Begins a new file with how things stand before the event of the number `first`. Never rejects. */
  async begin(state: FeedState, first: number): Promise<void> {
    try {
      await this.#handle?.sync();
      await this.#closeFile();
      await mkdir(this.#directory, { recursive: true, mode: directoryMode });
      const segment = segmentAt(this.#directory, this.#feed, first);
      await writeDurably(segment.file, stateLines(state), fileMode);
      this.#handle = await open(segment.file, 'a', fileMode);
      this.#segmentBytes = 0;
      // Tens of thousands of waiting jobs must not be written down again for every few events.
      const { size } = await this.#handle.stat();
      this.#segmentLimit = Math.max(this.#limits.segmentBytes, size);
      this.#segments.push(segment);
    } catch (error) {
      this.#fail(error);
      return;
    }
    await this.#prune().catch((error: unknown) => {
      this.#log.warn('old events cannot be removed', { cause: messageOf(error) });
    });
  }

  /** Removes the oldest files, and those of other feeds. @throws Error when the disk refuses. */
  async #prune(): Promise<void> {
    const kept = new Set(this.#segments.map(({ file }) => file));
    for (const { file } of await this.#found()) if (!kept.has(file)) await rm(file, { force: true });
    let bytes = 0;
    for (const segment of this.#segments.slice(0, -1).toReversed()) {
      const { size } = await stat(segment.file);
      bytes += size;
      if (bytes <= this.#limits.totalBytes) continue;
      this.#segments = this.#segments.filter((other) => other !== segment);
      await rm(segment.file, { force: true });
    }
  }

  /** Adds events. When the disk refuses, they are not on it, and the feed has another name from then on. Never rejects. */
  async append(lines: readonly string[]): Promise<void> {
    if (!this.#handle) return;
    const text = lines.join('');
    try {
      await this.#handle.appendFile(text);
      this.#segmentBytes += Buffer.byteLength(text);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    // Tried again every few seconds: once in the log is enough.
    if (this.#handle || this.#failedAtMs === Number.NEGATIVE_INFINITY) {
      this.#log.error('events cannot be written; clients of /events begin anew after a restart', {
        directory: this.#directory,
        cause: messageOf(error),
      });
    }
    this.#failedAtMs = performance.now();
    void this.#closeFile();
    // The journal on disk is complete up to here. It stays: if the service is killed now, the next one continues it, and clients
    // with ids of the new name start again with a snapshot.
    this.#feed = randomFeed();
    this.#segments = [];
  }

  /** The place behind the event with this id. Never rejects. */
  async find(number: number): Promise<Place | 'too-old' | 'unknown-id'> {
    return this.#readers.run(async () => this.#find(number));
  }

  async #find(number: number): Promise<Place | 'too-old' | 'unknown-id'> {
    const segment = this.#segments.findLast(({ first }) => first <= number + 1);
    if (!segment) return 'too-old';
    try {
      if (segment.first === number + 1) return { number, at: { segment, offset: 0 } };
      const offset = await findEvent(segment, number);
      return offset === undefined ? 'unknown-id' : { number, at: { segment, offset } };
    } catch (error) {
      return this.#lost(segment, error);
    }
  }

  /** The events after `place`, as many as fit into 64 KiB, and the place behind them. Never rejects. */
  async read(place: Place): Promise<Reading | 'too-old'> {
    return this.#readers.run(async () => this.#read(place));
  }

  async #read(place: Place): Promise<Reading | 'too-old'> {
    const found = place.at ? place : await this.#find(place.number);
    if (typeof found === 'string' || !found.at) return 'too-old';
    let { segment, offset } = found.at;
    try {
      for (;;) {
        const part = await readEvents(segment, offset);
        const events = part.events.filter(({ number }) => number > place.number);
        offset = part.nextOffset;
        const number = events.at(-1)?.number ?? place.number;
        if (events.length > 0) return { events, next: { number, at: { segment, offset } } };
        const following = this.#segments[this.#segments.indexOf(segment) + 1];
        if (part.isEnd && (following === undefined || !this.#segments.includes(segment)))
          return { events: [], next: { number, at: { segment, offset } } };
        if (part.isEnd && following) [segment, offset] = [following, 0];
      }
    } catch (error) {
      return this.#lost(segment, error);
    }
  }

  #lost({ file }: Segment, error: unknown): 'too-old' {
    this.#log.warn('old events cannot be read', { file, cause: messageOf(error) });
    return 'too-old';
  }

  /** Puts all on disk for good. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#handle?.sync().catch(() => undefined);
    await this.#closeFile();
  }

  async #closeFile(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }
}

function randomFeed(): string {
  return randomBytes(4).toString('hex');
}

/** Of the id of an event in `feed`, its number. */
export function numberIn(feed: string, id: string): number | 'other-feed' | 'unknown-id' {
  const parsed = parseEventId(id);
  if (!parsed) return 'unknown-id';
  return parsed.feed === feed ? parsed.number : 'other-feed';
}
