import { afterEach, describe, expect, test } from '@jest/globals';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Feed } from '../../../src/events/feed.ts';
import { FeedState } from '../../../src/events/feed-state.ts';
import { changesTo } from '../../../src/events/job-steps.ts';
import type { Place } from '../../../src/events/journal.ts';
import type { Change } from '../../../src/events/model/event.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { sampleId, sampleJob } from '../../support/sample-job.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const narrowLimits = { segmentBytes: 4_000, totalBytes: 16_000 };
const wideLimits = { segmentBytes: 4_000, totalBytes: 1_000_000 };
const feeds: Feed[] = [];
afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.close();
});

const newDirectory = (): string => path.join(mkdtempSync(path.join(root, 'data-')), 'events');

async function openFeed(directory: string, limits = narrowLimits) {
  const log = new MemoryLogger();
  const feed = new Feed({ directory, log, limits, recentBytes: 2_000 });
  feeds.push(feed);
  const how = await feed.open(() => new FeedState());
  return { feed, log, how };
}

function created(number: number): Change {
  const [change] = changesTo(sampleJob({ id: sampleId(number) }), undefined);
  if (!change) throw new Error('a new job is a change');
  return change;
}

/** One after the other, as they come as a rule. */
async function add(feed: Feed, from: number, to: number): Promise<void> {
  for (let number = from; number <= to; number += 1) {
    feed.add([created(number)]);
    await feed.flush();
  }
}

const numberOf = (change: Change): number =>
  change.event === 'job' ? Number(change.data.job.id.split('-')[1]) - 1_700_000_000_000 : 0;

/** The numbers of the jobs of all events after this id, in order; or why there are none. */
async function after(feed: Feed, id: string): Promise<number[] | string> {
  let place: Place | string = await feed.find(id);
  const found: number[] = [];
  for (;;) {
    if (typeof place === 'string') return place;
    const part: Awaited<ReturnType<Feed['read']>> = await feed.read(place);
    if (part === 'too-old') return part;
    if (part.events.length === 0) return found;
    found.push(...part.events.map(({ change }) => numberOf(change)));
    place = part.next;
  }
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('a feed', () => {
  test('gives what came after an id, from memory and from many files', async () => {
    const { feed } = await openFeed(newDirectory(), wideLimits);
    await add(feed, 1, 1);
    const { id } = feed.end;
    await add(feed, 2, 30);
    expect(await after(feed, id)).toEqual(range(2, 30));
    expect(await after(feed, feed.end.id)).toEqual([]);
  });

  test('goes on after a restart, even when it was killed', async () => {
    const directory = newDirectory();
    const { feed, how } = await openFeed(directory);
    expect(how).toBe('new');
    await add(feed, 1, 3);
    const { id } = feed.end;
    await add(feed, 4, 10);
    const second = await openFeed(directory);
    expect(second.how).toBe('resumed');
    expect([...second.feed.state.jobs.keys()]).toEqual(range(1, 10).map(sampleId));
    await add(second.feed, 11, 12);
    expect(await after(second.feed, id)).toEqual(range(4, 12));
    const third = await openFeed(directory);
    expect(await after(third.feed, id)).toEqual(range(4, 12));
  });

  test('does not know an id that was given out and got lost with the machine', async () => {
    const directory = newDirectory();
    const { feed } = await openFeed(directory);
    await add(feed, 1, 5);
    const lost = feed.end.id;
    const [file = ''] = readdirSync(directory);
    const lines = readFileSync(path.join(directory, file), 'utf8').split('\n');
    // The last two lines never came to the disk.
    writeFileSync(path.join(directory, file), `${lines.slice(0, -3).join('\n')}\n`);
    const second = await openFeed(directory);
    await add(second.feed, 6, 20);
    expect(await after(second.feed, lost)).toBe('unknown-id');
  });

  test('passes over a line that was cut off by a kill', async () => {
    const directory = newDirectory();
    const { feed } = await openFeed(directory);
    await add(feed, 1, 3);
    const { id } = feed.end;
    const [file = ''] = readdirSync(directory);
    appendFileSync(path.join(directory, file), '{"number":4,"change":{"eve');
    const second = await openFeed(directory, wideLimits);
    await add(second.feed, 4, 30);
    expect(await after(second.feed, id)).toEqual(range(4, 30));
    expect(second.log.errors()).toEqual([]);
  });

  test.each(['nonsense\n', '{"number":4}\n', `${'x'.repeat(5_000_000)}\n`])(
    'begins anew when its newest file is damaged (case %#)',
    async (damage) => {
      const directory = newDirectory();
      const { feed } = await openFeed(directory);
      await add(feed, 1, 3);
      const { id } = feed.end;
      const [file = ''] = readdirSync(directory);
      appendFileSync(path.join(directory, file), damage);
      const second = await openFeed(directory);
      expect(second.how).toBe('new');
      expect(second.log.errors()).toHaveLength(1);
      expect(await after(second.feed, id)).toBe('other-feed');
      expect(readdirSync(directory)).toContain('damaged');
    },
  );

  test('says that an id is too old when its file was removed, or is damaged', async () => {
    const directory = newDirectory();
    const { feed } = await openFeed(directory);
    await add(feed, 1, 1);
    const { id } = feed.end;
    await add(feed, 2, 100);
    expect(await after(feed, id)).toBe('too-old');
    const bytes = readdirSync(directory).map((name) => readFileSync(path.join(directory, name)).length);
    // That of the newest file does not count, and each begins with how things stand.
    expect(bytes.reduce((sum, length) => sum + length, 0)).toBeLessThan(16_000 + 3 * (4_000 + 100 * 600));

    const other = newDirectory();
    const wide = await openFeed(other, wideLimits);
    await add(wide.feed, 1, 1);
    const old = wide.feed.end.id;
    await add(wide.feed, 2, 30);
    const [oldest = ''] = readdirSync(other).toSorted();
    appendFileSync(path.join(other, oldest), 'nonsense\n');
    expect(await after(wide.feed, old)).toBe('too-old');
  });

  test('goes on in memory when the disk refuses, and with a new file when it takes them again', async () => {
    const directory = newDirectory();
    const { feed, log } = await openFeed(directory);
    await add(feed, 1, 1);
    const before = feed.end.id;
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    // Until the file is full that is open, nothing shows.
    await add(feed, 2, 20);
    expect(log.errors()).toEqual(['events cannot be written; clients of /events begin anew after a restart']);
    expect(await after(feed, before)).toBe('other-feed');
    const { id } = feed.end;
    await add(feed, 21, 22);
    expect(await after(feed, id)).toEqual([21, 22]);
    rmSync(directory);
    await feed.close();
    const second = await openFeed(directory);
    expect(await after(second.feed, id)).toBe('other-feed');
  });

  test('tells a job once that was made at the same time as a newer one', () => {
    const state = new FeedState();
    for (const number of [...range(1, 250), 252, 253]) state.apply(created(number));
    const ended = (number: number): Change =>
      changesTo(
        sampleJob({ id: sampleId(number), state: 'canceled', finishedAt: '2026-01-02T03:04:06.000Z' }),
        'queued',
      )[0] as Change;
    for (const number of [...range(1, 250), 252, 253]) state.apply(ended(number));
    expect(state.jobs.size).toBe(0);
    expect([1, 200, 250, 251, 252, 254].map((number) => state.hasTold(sampleId(number)))).toEqual([
      true,
      true,
      true,
      false,
      true,
      false,
    ]);
  });
});
