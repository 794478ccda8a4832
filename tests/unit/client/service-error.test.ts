import { describe, expect, test } from '@jest/globals';
import { ConnectionError, ServiceError, UnexpectedReply } from '../../../src/client/service-error.ts';

const errorOf = (status: number, headers: Record<string, string> = {}, problem = {}) =>
  new ServiceError(status, new Headers(headers), problem);

test('a refusal has the words of the service, or says its status', () => {
  expect(errorOf(409, {}, { detail: 'a sentence' })).toMatchObject({
    status: 409,
    message: 'a sentence',
    errors: [],
  });
  expect(errorOf(500).message).toBe('the server answered with HTTP status 500');
});

test('a request is known by what the document says, else by a header', () => {
  expect(errorOf(400, { 'X-Request-Id': 'h' }, { requestId: 'd' }).requestId).toBe('d');
  expect(errorOf(400, { 'X-Request-Id': 'h' }).requestId).toBe('h');
  expect(errorOf(400).requestId).toBeUndefined();
});

test.each([
  ['7', 7],
  ['0', 0],
  ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ['Infinity', undefined],
])('Retry-After: %s', (value, seconds) => {
  expect(errorOf(503, { 'Retry-After': value }).retryAfterSeconds).toBe(seconds);
  expect(errorOf(503).retryAfterSeconds).toBeUndefined();
});

describe('the service is only away', () => {
  test.each([
    [502, undefined, true],
    [503, undefined, true],
    [504, undefined, true],
    [500, undefined, false],
    [404, undefined, false],
    [503, 'shutting-down', true],
    [503, 'storage-fault', false],
  ])('with status %i and code %s: %s', (status, code, isAway) => {
    expect(errorOf(status, {}, code === undefined ? {} : { code }).isAway).toBe(isAway);
  });
});

test('a reply that is none has no reason, and is a lost connection as well', () => {
  const cause = new Error('x');
  expect(new ConnectionError('a', { cause, reason: 'plain-http' })).toMatchObject({
    reason: 'plain-http',
    cause,
  });
  expect(new UnexpectedReply('b')).toMatchObject({
    name: 'ConnectionError',
    message: 'b',
    reason: undefined,
  });
});
