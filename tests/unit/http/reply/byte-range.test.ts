import { describe, expect, test } from '@jest/globals';
import { requestedRange } from '../../../../src/http/reply/byte-range.ts';
import { answerOf } from '../../../support/answer-of.ts';

/** What the range of a request is taken for, by Express's own reader of headers. */
async function rangeOf(size: number, range?: string, method = 'GET'): Promise<unknown> {
  const headers = range === undefined ? {} : { Range: range };
  let taken: unknown;
  await answerOf(
    (req, res) => {
      taken = requestedRange(req, size);
      res.end();
    },
    { method, headers },
  );
  return taken;
}

describe('of ten bytes', () => {
  test.each([
    ['bytes=0-3', { start: 0, end: 3 }],
    ['bytes=4-', { start: 4, end: 9 }],
    ['bytes=4-99', { start: 4, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-10', { start: 0, end: 9 }],
    // RFC 9110, 14.1.2: longer than the content stands for all of it.
    ['bytes=-11', { start: 0, end: 9 }],
    ['bytes=-999', { start: 0, end: 9 }],
    // Ranges that touch are one.
    ['bytes=0-1,2-3', { start: 0, end: 3 }],
  ])('%s', async (range, expected) => expect(await rangeOf(10, range)).toMatchObject(expected));

  test.each(['bytes=10-', 'bytes=10-12'])('%s is behind the end', async (range) =>
    expect(await rangeOf(10, range)).toBe('unsatisfiable'),
  );

  test.each([undefined, 'bytes=0-1,5-6', 'lines=0-1', 'nonsense', ' bytes -3'])(
    '%s is answered with the whole',
    async (range) => expect(await rangeOf(10, range)).toBe('whole'),
  );

  test('only GET has ranges', async () => expect(await rangeOf(10, 'bytes=0-3', 'HEAD')).toBe('whole'));
});

test('of nothing there is no part, not even by a suffix', async () =>
  expect(await rangeOf(0, 'bytes=-5')).toBe('unsatisfiable'));
