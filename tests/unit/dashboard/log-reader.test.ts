import { describe, expect, test } from '@jest/globals';
import { BlockCache, blockBytes } from '../../../web/dashboard/src/pages/job/log/block-cache.ts';
import { countLines, findLine } from '../../../web/dashboard/src/pages/job/log/marked-lines.ts';
import { LineIndex } from '../../../web/dashboard/src/pages/job/log/line-index.ts';
import { LogReader } from '../../../web/dashboard/src/pages/job/log/log-reader.ts';
import { LogFinder } from '../../../web/dashboard/src/pages/job/log/log-finder.ts';
import { textOf } from '../../../web/dashboard/src/pages/job/log/log-rows.ts';
import { LogSearch, placesOf } from '../../../web/dashboard/src/pages/job/log/log-search.ts';
import { eventually } from '../../support/eventually.ts';
import { bytesOf, GrowingLog } from '../../support/growing-log.ts';

const { signal } = new AbortController();
const lineOf = (number: number): string => `line ${String(number).padStart(10, '0')}`;
/** 16 bytes each. */
const linesFrom = (first: number, count: number): string =>
  Array.from({ length: count }, (_, index) => `${lineOf(first + index)}\n`).join('');

const texts = (reader: LogReader): string[] => reader.rows.rows.map(textOf);
const numbered = (reader: LogReader): [number | undefined, string][] =>
  reader.rows.rows.map((row) => [reader.rows.numberOf(row), textOf(row)]);
const ready = async (reader: LogReader): Promise<void> =>
  void (await eventually('the log is there', () => !reader.isLoading));

describe('a log that is followed', () => {
  test('is complete, also when the service is unreachable for a while', async () => {
    const log = new GrowingLog(linesFrom(1, 3));
    const reader = new LogReader(log, { retryMs: 5 });
    reader.open('end', { follow: true });
    await eventually('three lines', () => texts(reader).length === 3);
    log.print('ä long line that has ');
    await eventually('a part of a line', () => texts(reader).at(-1) === 'ä long line that has ');
    log.setAway(true);
    await eventually(
      'the reader reports the problem',
      () => reader.problem?.message === 'the service is away',
    );
    log.print('an end\nlast\n');
    log.finish();
    log.setAway(false);
    await eventually('the whole log', () => reader.isComplete && reader.isAtEnd);
    expect(texts(reader)).toEqual([lineOf(1), lineOf(2), lineOf(3), 'ä long line that has an end', 'last']);
    expect(reader.problem).toBeUndefined();
    expect(log.followers).toBe(0);
  });

  test('keeps a limited part in memory, except while the user reads', async () => {
    const log = new GrowingLog('');
    const reader = new LogReader(log, { limits: { bytes: 1600, rows: 1000 }, retryMs: 5 });
    reader.open('end', { follow: true });
    await ready(reader);
    log.print(linesFrom(1, 500));
    await eventually('the last line', () => texts(reader).at(-1) === lineOf(500));
    expect(reader.rows.end - reader.rows.start).toBeLessThanOrEqual(1600);
    expect(numbered(reader).at(-1)).toEqual([500, lineOf(500)]);
    reader.setFollowing(false);
    const first = texts(reader)[0];
    log.print(linesFrom(501, 500));
    await eventually('the connection is closed', () => log.followers === 0);
    expect(texts(reader)[0]).toBe(first);
    reader.close();
  });

  test('pauses while the page is hidden, and then continues', async () => {
    const log = new GrowingLog('one\n');
    const reader = new LogReader(log, { retryMs: 5 });
    reader.open('end', { follow: true });
    await eventually('it is followed', () => log.followers === 1);
    reader.setWatched(false);
    await eventually('no follower is left', () => log.followers === 0);
    log.print('two\n');
    reader.note({ size: 8, hasEnded: false });
    await eventually('the reader has the known bytes', () => texts(reader).length === 2);
    log.print('three\n');
    reader.setWatched(true);
    await eventually('the rest', () => texts(reader).length === 3);
    expect(texts(reader)).toEqual(['one', 'two', 'three']);
    expect(reader.problem).toBeUndefined();
    reader.close();
    await eventually('no follower is left', () => log.followers === 0);
  });

  test('ends when the reader is closed', async () => {
    const log = new GrowingLog('x\n');
    const reader = new LogReader(log);
    reader.open('end', { follow: true });
    await eventually('it is followed', () => log.followers === 1);
    reader.close();
    await eventually('no follower is left', () => log.followers === 0);
  });
});

describe('a log that is too long to be in memory', () => {
  const count = 100_000;
  const size = count * 16;
  const limits = { bytes: 600_000, rows: 60_000 };
  const openedAt = async (offset: number | 'end'): Promise<{ log: GrowingLog; reader: LogReader }> => {
    const log = new GrowingLog(linesFrom(1, count));
    log.isComplete = true;
    const reader = new LogReader(log, { limits });
    reader.open(offset);
    await ready(reader);
    return { log, reader };
  };

  test('opens at its end without reading the rest', async () => {
    const { log, reader } = await openedAt('end');
    expect(texts(reader).at(-1)).toBe(lineOf(count));
    expect(log.asked.every(([start]) => start > size - 2 * blockBytes - 1)).toBe(true);
    expect(reader.rows.numberOf(reader.rows.rows[0] as never)).toBeUndefined();
  });

  test('lines have numbers as soon as they are counted', async () => {
    const { reader } = await openedAt('end');
    const told: number[] = [];
    await countLines(reader, Infinity, { signal, told: (bytes) => told.push(bytes) });
    expect(numbered(reader).at(-1)).toEqual([count, lineOf(count)]);
    expect(told.at(-1)).toBe(Math.floor(size / blockBytes) * blockBytes);
  });

  test('a line is found by its number', async () => {
    const { reader } = await openedAt(0);
    for (const number of [1, 16_384, 16_385, 16_386, 50_001, count])
      expect(await findLine(reader, number, { signal, told: () => undefined })).toBe((number - 1) * 16);
    expect(await findLine(reader, count + 1, { signal, told: () => undefined })).toBeUndefined();
  });

  test('grows at both ends, and keeps a part in memory', async () => {
    const { reader } = await openedAt(800_008);
    const middle = reader.rows.rows[reader.rows.indexOfOffset(800_008)];
    expect(middle && textOf(middle)).toBe(lineOf(50_001));
    while (reader.rows.start > 0) await reader.above();
    expect(numbered(reader).slice(0, 2)).toEqual([
      [1, lineOf(1)],
      [2, lineOf(2)],
    ]);
    expect(reader.rows.end - reader.rows.start).toBeLessThanOrEqual(limits.bytes);
    while (reader.rows.end < size) {
      const { end } = reader.rows;
      reader.below();
      await eventually('more is there', () => reader.rows.end > end);
    }
    expect(numbered(reader).at(-1)).toEqual([count, lineOf(count)]);
    expect(reader.rows.end - reader.rows.start).toBeLessThanOrEqual(limits.bytes);
  });

  test('a search reports its progress, and can be stopped', async () => {
    const { reader } = await openedAt('end');
    const finder = new LogFinder(reader);
    finder.find('0000077777');
    await eventually('it was found', () => finder.finding.get().count === 1);
    await eventually('it is over', () => !finder.finding.get().isLooking);
    expect(finder.finding.get()).toMatchObject({ hits: [{ offset: 77_776 * 16, line: 77_777 }], end: size });
    finder.find('line');
    finder.stop();
    expect(finder.finding.get().end).toBeLessThan(size);
    expect(finder.finding.get().isLooking).toBe(false);
  });

  test('empty lines do not fill the memory', async () => {
    const log = new GrowingLog('\n'.repeat(3_000_000));
    log.isComplete = true;
    const reader = new LogReader(log, { limits });
    reader.open(1_500_000);
    await ready(reader);
    expect(reader.rows.rows.length).toBeLessThanOrEqual(limits.rows);
    const { start } = reader.rows;
    await reader.above();
    expect(reader.rows.start).toBeLessThan(start);
    expect(reader.rows.rows.length).toBeLessThanOrEqual(limits.rows);
  });
});

test('a refused request is not repeated', async () => {
  const { ServiceError } = await import('../../../src/client/service-error.ts');
  const log = new GrowingLog('x\n');
  const refused = new ServiceError(404, new Headers(), { code: 'job-not-found', detail: 'no such job' });
  const reader = new LogReader(
    { read: log.read, follow: log.follow, extent: async () => Promise.reject(refused) },
    { retryMs: 1 },
  );
  reader.open(0);
  await eventually('the reader reports that the log is gone', () => reader.isGone);
  expect(reader.problem).toBe(refused);
});

test('each block is requested once, and a limited number is kept', async () => {
  const log = new GrowingLog('x'.repeat(5 * blockBytes));
  const cache = new BlockCache(log.read, 3);
  const first = await cache.read(10, 2 * blockBytes - 10, signal);
  expect(first).toHaveLength(2 * blockBytes - 20);
  await cache.read(blockBytes, blockBytes + 5, signal);
  expect(log.asked).toEqual([[0, 2 * blockBytes - 10]]);
  // The second block was not whole.
  await cache.read(0, 3 * blockBytes, signal);
  expect(log.asked[1]).toEqual([blockBytes, 3 * blockBytes]);
  await cache.read(0, 5 * blockBytes, signal);
  expect(cache.size).toBe(3);
});

test('lines are counted block by block, in order', () => {
  const index = new LineIndex();
  const block = bytesOf(linesFrom(1, blockBytes / 16));
  index.add(blockBytes, block);
  expect(index.countedBytes).toBe(0);
  for (const offset of [0, 0, blockBytes]) index.add(offset, block);
  expect([index.countedBytes, index.lineEnds]).toEqual([2 * blockBytes, blockBytes / 8]);
  expect(index.before(blockBytes + 7)).toEqual({ blockStart: blockBytes, lineEnds: blockBytes / 16 });
});

test('a search finds text in lines that arrive in pieces', () => {
  const text = `one\nTwo \u001B[1mtw\u001B[0mo\nthree\r\nnever 10%\r20%\nlast two`;
  const bytes = bytesOf(text);
  for (let at = 1; at < bytes.length; at += 1) {
    const search = new LogSearch('two');
    search.add(bytes.slice(0, at));
    search.add(bytes.slice(at));
    search.finish();
    search.finish();
    expect(search.hits.map(({ line }) => line)).toEqual([2, 5]);
  }
  expect(placesOf('Two two', 'TWO')).toEqual([0, 4]);
});
