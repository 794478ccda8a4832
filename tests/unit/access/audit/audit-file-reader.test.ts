/** How the file of the audit is read: whole, by pages, with lines that are none of it, and after a rotation. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  appendFileSync,
  copyFileSync,
  ftruncateSync,
  openSync,
  closeSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { AuditFileReader } from '../../../../src/access/audit/audit-file-reader.ts';
import type { AuditFilter, AuditRecord } from '../../../../src/access/model/audit-record.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const startMs = Date.parse('2026-03-01T00:00:00Z');
const timeOf = (minute: number): string => new Date(startMs + minute * 60_000).toISOString();

let file: string;
let reader: AuditFileReader;
beforeEach(() => {
  ({ file } = emptyPlace(root));
  reader = new AuditFileReader(file);
});

/** A line of the minute; its `requestId` is its number. */
const lineOf = (minute: number, fields: Readonly<Record<string, unknown>> = {}): string =>
  `${JSON.stringify({ time: timeOf(minute), event: 'request', requestId: String(minute), ...fields })}\n`;

const numbersOf = (entries: readonly AuditRecord[]): number[] =>
  entries.map(({ requestId }) => Number(requestId));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => count - 1 - at);

const found = async (filter: AuditFilter = {}): Promise<number[]> =>
  numbersOf((await reader.page(filter, { limit: 500 })).entries);

async function exported(filter: AuditFilter = {}): Promise<number[]> {
  const entries: AuditRecord[] = [];
  for await (const piece of reader.all(filter)) entries.push(...piece);
  return numbersOf(entries);
}

describe('the lines of the audit', () => {
  test('come newest first, with all their fields', async () => {
    writeFileSync(file, lineOf(0) + lineOf(1, { user: 'ann', fromTheFuture: { deep: [1] } }));
    const { entries, ...rest } = await reader.page({}, { limit: 10 });
    expect(entries).toEqual([
      { time: timeOf(1), event: 'request', requestId: '1', user: 'ann', fromTheFuture: { deep: [1] } },
      { time: timeOf(0), event: 'request', requestId: '0' },
    ]);
    expect(rest).toEqual({ nextCursor: null, lookedBackTo: timeOf(0) });
  });

  test('of an empty file are none', async () => {
    writeFileSync(file, '');
    expect(await reader.page({}, { limit: 10 })).toEqual({
      entries: [],
      nextCursor: null,
      lookedBackTo: null,
    });
  });

  test('come by pages, also while the file grows', async () => {
    for (let minute = 0; minute < 2_000; minute += 1)
      appendFileSync(file, lineOf(minute, { path: '/x'.repeat(100) }));
    const numbers: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await reader.page({}, { limit: 300, cursor });
      numbers.push(...numbersOf(page.entries));
      cursor = page.nextCursor ?? undefined;
      appendFileSync(file, lineOf(5_000));
    } while (cursor !== undefined);
    expect(numbers).toEqual(upTo(2_000));
    expect((await exported()).filter((number) => number < 5_000)).toEqual(upTo(2_000));
  });

  test.each<[string, string]>([
    ['a line that was cut off', '{"time":"2026-03-01T00:00:30.000Z","event":"req\n'],
    ['text', 'hello\n'],
    ['zeros, as after a crash', '\0'.repeat(10_000)],
    ['other JSON', '[]\n1\nnull\n{}\n{"time":"yesterday","event":"request"}\n'],
    ['a field of another kind', lineOf(7, { status: 'fine' })],
    [
      'deep nesting',
      `{"time":"${timeOf(7)}","event":"request","x":${'['.repeat(9_000)}${']'.repeat(9_000)}}\n`,
    ],
    ['a line that is too long', `${'{'.repeat(600_000)}\n`],
  ])('are found around %s', async (_what, foreign) => {
    writeFileSync(file, `${lineOf(0)}${foreign}\n${lineOf(1)}${foreign}`);
    expect(await found()).toEqual([1, 0]);
    expect(await exported()).toEqual([1, 0]);
  });

  test('are looked for in a part of a long file at a time', async () => {
    writeFileSync(file, lineOf(0, { user: 'ann' }));
    const block = lineOf(1, { path: `/${'x'.repeat(299)}` }).repeat(10_000);
    for (let count = 0; count < 10; count += 1) appendFileSync(file, block);
    const first = await reader.page({ user: 'ann' }, { limit: 10 });
    expect(first).toMatchObject({ entries: [], nextCursor: expect.any(String), lookedBackTo: timeOf(1) });
    const second = await reader.page({ user: 'ann' }, { limit: 10, cursor: first.nextCursor ?? '' });
    expect(second).toMatchObject({ entries: [{ requestId: '0' }], nextCursor: null });
    expect(await exported({ user: 'ann' })).toEqual([0]);
    // A mebibyte of lines is a page.
    expect((await reader.page({}, { limit: 10_000 })).entries.length).toBeLessThan(4_000);
  });

  test('of many tiny lines, a part is read at a time; the whole work of a page is bounded', async () => {
    writeFileSync(file, lineOf(0));
    appendFileSync(file, '\n'.repeat(150_000) + '{}\n'.repeat(150_000));
    const first = await reader.page({}, { limit: 10 });
    expect(first).toMatchObject({ entries: [], nextCursor: expect.any(String), lookedBackTo: null });
    expect(await reader.page({}, { limit: 10, cursor: first.nextCursor ?? '' })).toMatchObject({
      entries: [{ requestId: '0' }],
      nextCursor: null,
    });
  });

  test('are no longer looked for when the client is gone; what was found comes with a cursor', async () => {
    writeFileSync(file, lineOf(0, { user: 'ann' }));
    appendFileSync(file, lineOf(1).repeat(5_000));
    const signal = AbortSignal.abort();
    const page = await reader.page({ user: 'ann' }, { limit: 10, signal });
    expect(page).toMatchObject({ entries: [], nextCursor: expect.any(String), lookedBackTo: timeOf(1) });
    expect(await found({ user: 'ann' })).toEqual([0]);
  });
});

describe('filters', () => {
  beforeEach(() => {
    writeFileSync(
      file,
      [
        lineOf(0, { user: 'ann', lab: 'one', action: 'up', operation: 'submitJob', status: 202 }),
        lineOf(1, { user: 'bob', lab: 'one', operation: 'removeJob', status: 404, error: 'job-not-found' }),
        lineOf(2, { event: 'more-refusals', count: 7 }),
        lineOf(3, { event: 'gap', count: 2 }),
        lineOf(4, { user: 'ann', lab: 'two', operation: 'removeJob', status: 204 }),
      ].join(''),
    );
  });

  test.each<[string, AuditFilter, number[]]>([
    ['a user', { user: 'ann' }, [4, 3, 0]],
    ['a lab', { lab: 'one' }, [3, 1, 0]],
    ['an action', { action: 'up' }, [3, 0]],
    ['an operation', { action: 'removeJob' }, [4, 3, 1]],
    ['refusals', { isRefused: true }, [3, 2, 1]],
    ['all but refusals', { isRefused: false }, [4, 3, 0]],
    ['several', { user: 'ann', action: 'removeJob' }, [4, 3]],
    ['a beginning', { since: new Date(timeOf(3)) }, [4, 3]],
    ['an end', { until: new Date(timeOf(3)) }, [2, 1, 0]],
    ['both', { since: new Date(timeOf(1)), until: new Date(timeOf(2)) }, [1]],
  ])('by %s', async (_what, filter, numbers) => {
    expect(await found(filter)).toEqual(numbers);
    expect(await exported(filter)).toEqual(numbers);
  });

  test('pass over a line with an old time, as of a machine with a wrong clock', async () => {
    writeFileSync(file, [200, 0, 201, 100, 202].map((minute) => lineOf(minute)).join(''));
    expect(await found({ since: new Date(timeOf(150)) })).toEqual([202, 201, 200]);
  });

  test('do not read on before a block of lines that are an hour older than the beginning', async () => {
    const old = Array.from({ length: 3_000 }, () => 0);
    writeFileSync(file, [200, ...old, 201, 202].map((minute) => lineOf(minute)).join(''));
    expect(await found({ since: new Date(timeOf(150)) })).toEqual([202, 201]);
  });
});

describe('a cursor', () => {
  let cursor: string;
  beforeEach(async () => {
    for (let minute = 0; minute < 10; minute += 1) appendFileSync(file, lineOf(minute));
    cursor = (await reader.page({}, { limit: 5 })).nextCursor ?? '';
  });

  const emptyFile = (): void => {
    const descriptor = openSync(file, 'r+');
    ftruncateSync(descriptor, 0);
    closeSync(descriptor);
  };

  test.each<[string, () => void]>([
    ['was rotated away', () => writeFileSync(file, '')],
    [
      'was emptied and has grown again',
      () => {
        emptyFile();
        for (let minute = 100; minute < 200; minute += 1) appendFileSync(file, lineOf(minute));
      },
    ],
  ])('is refused when the file %s', async (_what, change) => {
    change();
    expect(await failureOf(reader.page({}, { limit: 5, cursor }))).toMatchObject({
      code: 'invalid-request',
      errors: [{ field: 'cursor', message: expect.stringContaining('begin without a cursor') }],
    });
  });

  test('holds in a copy of the file', async () => {
    copyFileSync(file, `${file}.copy`);
    rmSync(file);
    copyFileSync(`${file}.copy`, file);
    expect(numbersOf((await reader.page({}, { limit: 5, cursor })).entries)).toEqual([4, 3, 2, 1, 0]);
  });

  test('that was made up is refused', async () => {
    const offset = Number(cursor.split('-')[0]) + 1;
    const madeUp = `${offset}-${cursor.split('-')[1]}`;
    expect((await failureOf(reader.page({}, { limit: 5, cursor: madeUp }))).code).toBe('invalid-request');
  });
});

test('a file that is not there, or is a link, is an error that names the setting', async () => {
  const missing = await failureOf(reader.page({}, { limit: 1 }));
  expect(missing).toMatchObject({
    code: 'storage-fault',
    message: expect.stringContaining('LAB_API_AUDIT_FILE'),
  });
  expect(await failureOf(reader.all({}).next())).toMatchObject({ code: 'storage-fault' });
});

test('an export of a file that is shortened meanwhile ends with an error', async () => {
  writeFileSync(file, lineOf(0).repeat(5_000));
  const lines = reader.all({});
  await lines.next();
  writeFileSync(file, '');
  await expect(lines.next()).rejects.toMatchObject({ code: 'conflict' });
});
