import { describe, expect, test } from '@jest/globals';
import { fingerprintOf } from '../../../../src/jobs/model/idempotency-claim.ts';

const same = (one: unknown, other: unknown): boolean =>
  fingerprintOf('start', one) === fingerprintOf('start', other);

test('a fingerprint is a SHA-256 in hexadecimal', () =>
  expect(fingerprintOf('start', {})).toMatch(/^[0-9a-f]{64}$/));

test('another operation is another request', () =>
  expect(fingerprintOf('retry job-1', {})).not.toBe(fingerprintOf('retry job-2', {})));

describe('the same request', () => {
  test.each<[unknown, unknown]>([
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [
      { c: 3, a: 1, b: 2 },
      { b: 2, c: 3, a: 1 },
    ],
    [{ x: { a: 1, b: null } }, { x: { b: null, a: 1 } }],
    [[{ a: 1, b: 2 }], [{ b: 2, a: 1 }]],
    [undefined, null],
    ['text', 'text'],
  ])('%j and %j', (one, other) => expect(same(one, other)).toBe(true));
});

describe('another request', () => {
  test.each<[unknown, unknown]>([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, {}],
    [{ x: { a: 1 } }, { x: { a: 2 } }],
    [
      [1, 2],
      [2, 1],
    ],
    [['a'], { 0: 'a' }],
    [null, {}],
    [null, 'null'],
    [{ a: null }, {}],
    [{ a: [] }, { a: {} }],
    [{ a: 1 }, JSON.parse('{"a":1,"__proto__":1}')],
  ])('%j and %j', (one, other) => expect(same(one, other)).toBe(false));
});

test('what is nested too deeply to be written down is refused', () => {
  let body: unknown = 1;
  for (let depth = 0; depth < 200_000; depth += 1) body = [body];
  expect(() => fingerprintOf('start', body)).toThrow(
    expect.objectContaining({ code: 'invalid-request', cause: expect.any(RangeError) }),
  );
});
