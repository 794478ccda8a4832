import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { AppError, invalidField, messageOf, systemCode } from '../../../src/lib/app-error.ts';
import { errorCodes } from '../../../src/lib/error-codes.ts';

test('carries its code, cause and extras', () => {
  const cause = new Error('disk');
  const error = new AppError('disk-full', 'no room', { cause, retryAfterSeconds: 5, extra: { a: 1 } });
  expect(error).toMatchObject({
    code: 'disk-full',
    message: 'no room',
    cause,
    retryAfterSeconds: 5,
    extra: { a: 1 },
  });
  expect(new AppError('internal', 'x')).toMatchObject({
    errors: [],
    extra: {},
    retryAfterSeconds: undefined,
  });
});

test('the codes are kebab-case', () => {
  for (const code of errorCodes) expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
});

test('a wrong field is named in the message and in the list', () => {
  expect(invalidField('a.b', 'must be 1')).toMatchObject({
    code: 'invalid-request',
    message: 'a.b: must be 1',
    errors: [{ field: 'a.b', message: 'must be 1' }],
  });
});

test('systemCode and messageOf take anything', () => {
  const failure = (() => {
    try {
      return readFileSync('/no/such/file');
    } catch (error) {
      return error;
    }
  })();
  expect(systemCode(failure)).toBe('ENOENT');
  expect([new Error('x'), 'ENOENT', null, undefined, { code: 5 }].map(systemCode)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
  expect([new Error('x'), 'y', null, 3].map(messageOf)).toEqual(['x', 'y', 'null', '3']);
});
