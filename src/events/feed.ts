/** Puts what happens in order, on disk, and then before those who follow. */
import { randomInt } from 'node:crypto';
import type { Logger } from '../lib/logger.ts';
import { FeedState } from './feed-state.ts';
import { Journal, numberIn, type JournalLimits, type Place } from './journal.ts';
import type { Change, FeedEvent } from './model/event.ts';
import type { ResetReason } from './model/event-service.ts';
import { RecentEvents } from './recent-events.ts';
import { eventId, eventLine } from './segment.ts';

/** A few thousand events. */
const defaultRecentBytes = 4 * 1024 * 1024;

/** How many go to the disk at once. */
const batchLength = 1_000;

/**
 * The numbers jump by so much at each start, and by something random on top. When the machine goes down, the end of the
 * journal may be lost that clients have seen already; and a data directory may be put back from a backup, more than once.
 * Ids that were given out must not come to stand for other events: so they are ids that no event has.
 */
const jump = (): number => 1_000_000 + randomInt(1_000_000_000);

interface FeedDeps {
  /** Of the journal. */
  readonly directory: string;
  readonly log: Logger;
  readonly limits?: JournalLimits;
  /** How many bytes of events are kept in memory. */
  readonly recentBytes?: number;
}

export class Feed {
  readonly #journal: Journal;
  readonly #recentBytes: number;
  readonly #recent: RecentEvents;
  #state = new FeedState();
  /** Number of the last event that was published. */
  #last = 0;
  #lastId = '';
  #next = 1;
  #first = 1;
  readonly #waiting: Change[] = [];
  #writing: Promise<void> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor({ recentBytes = defaultRecentBytes, ...deps }: FeedDeps) {
    this.#recentBytes = recentBytes;
    this.#recent = new RecentEvents(recentBytes);
    this.#journal = new Journal(deps);
  }

  /**
   * Continues the journal of an earlier service and returns the state that it describes; without a journal, the state is
   * `now`. Never rejects.
   */
  async open(now: () => FeedState): Promise<'resumed' | 'new'> {
    const loaded = await this.#journal.load(this.#recentBytes);
    this.#state = loaded?.state ?? now();
    const { last = 0, tail = [] } = loaded ?? {};
    for (const event of tail) this.#recent.add(event);
    this.#last = last;
    this.#lastId = eventId(this.#journal.feed, last);
    this.#first = this.#next = last + jump();
    await this.#journal.begin(this.#state, this.#next);
    return loaded ? 'resumed' : 'new';
  }

  /** As of the last event. */
  get state(): FeedState {
    return this.#state;
  }

  /** The last events, those of an earlier service among them. */
  get recent(): readonly FeedEvent[] {
    return this.#recent.all;
  }

  /** Events of earlier services have lower numbers; those of this one have this number or a higher one. */
  get first(): number {
    return this.#first;
  }

  /** The id of the last event, and its place. */
  get end(): { readonly id: string; readonly place: Place } {
    return { id: this.#lastId, place: { number: this.#last } };
  }

  /** Adds what has just happened. It is published once it is in the journal; `flush` waits for that. */
  add(changes: readonly Change[]): void {
    this.#waiting.push(...changes);
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Calls `listener` whenever there are new events; the result ends that. */
  onNews(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells those who wait for news that there may be some. */
  wake(): void {
    for (const listener of this.#listeners) listener();
  }

  async #write(): Promise<void> {
    // Changes in the same turn of the event loop are written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      if (this.#journal.needsBegin) await this.#journal.begin(this.#state, this.#next);
      const numbered = this.#waiting.splice(0, batchLength).map((change, index) => {
        const number = this.#next + index;
        return { number, change, line: eventLine(number, change) };
      });
      await this.#journal.append(numbered.map(({ line }) => line));
      this.#publish(numbered);
    }
  }

  #publish(numbered: readonly { number: number; change: Change; line: string }[]): void {
    const { feed } = this.#journal;
    for (const { number, change, line } of numbered) {
      this.#state.apply(change);
      this.#recent.add({ number, id: eventId(feed, number), change, size: line.length });
      this.#last = number;
    }
    this.#lastId = eventId(feed, this.#last);
    this.#next = this.#last + 1;
    this.wake();
  }

  /** The place behind the event with this id, or why there is none. Never rejects. */
  async find(id: string): Promise<Place | ResetReason> {
    const number = numberIn(this.#journal.feed, id);
    if (typeof number === 'string') return number;
    if (number > this.#last) return 'unknown-id';
    if (number === this.#last || this.#recent.after(number)) return { number };
    return this.#journal.find(number);
  }

  /** Some of the events after `place`, none when that is the end, and the place behind them. Never rejects. */
  async read(place: Place): Promise<{ events: readonly FeedEvent[]; next: Place } | 'too-old'> {
    if (place.number === this.#last) return { events: [], next: place };
    const recent = this.#recent.after(place.number);
    const last = recent?.at(-1);
    if (recent && last) return { events: recent, next: { number: last.number } };
    const found = await this.#journal.read(place);
    // Behind the end of the journal there are events that the disk did not take.
    if (found !== 'too-old' && found.events.length === 0 && found.next.number < this.#last) return 'too-old';
    return found;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#journal.close();
  }
}
