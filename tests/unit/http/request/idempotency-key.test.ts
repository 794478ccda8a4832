import { expect, test } from '@jest/globals';
import type { Request } from 'express';
import { idempotencyClaim } from '../../../../src/http/request/idempotency-key.ts';

function claim(key: string | undefined, operation = 'start', body: unknown = { action: 'up' }) {
  const headers = new Map([['Idempotency-Key', key]]);
  const req = { get: (name: string) => headers.get(name), principal: { name: 'ann' }, body };
  return idempotencyClaim(req as unknown as Request, operation);
}

test('no header claims nothing', () => expect(claim(undefined)).toBeUndefined());

test.each([
  ['abc', 'abc'],
  ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['!~', '!~'],
  ['x', 'x'],
  ['a"b', 'a"b'],
  ['x'.repeat(255), 'x'.repeat(255)],
  ['"quoted"', 'quoted'],
  ['"with space"', 'with space'],
  [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
  [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
])('%s is the key %s', (given, key) => expect(claim(given)).toMatchObject({ user: 'ann', key }));

test.each([
  '',
  ' ',
  'a b',
  ' a',
  'a ',
  'é',
  'x'.repeat(256),
  '"',
  '""',
  '"open',
  '"a"b',
  'a "b"',
  String.raw`"a\b"`,
  String.raw`"a\"`,
  '"a"b"',
  `"${'x'.repeat(256)}"`,
  '"é"',
])('%j is none', (given) =>
  expect(() => claim(given)).toThrow(
    expect.objectContaining({
      code: 'invalid-request',
      errors: [expect.objectContaining({ field: 'Idempotency-Key' })],
    }),
  ),
);

test('a claim is for one operation with one body', () => {
  const [same, again, operation, body] = [
    claim('k'),
    claim('k'),
    claim('k', 'retry'),
    claim('k', 'start', { action: 'down' }),
  ];
  expect(again).toEqual(same);
  expect(operation?.fingerprint).not.toBe(same?.fingerprint);
  expect(body?.fingerprint).not.toBe(same?.fingerprint);
});
