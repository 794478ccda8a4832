import { describe, expect, test } from '@jest/globals';
import type { Request } from 'express';
import { z } from 'zod';
import {
  listParameter,
  parseQuery,
  secondsParameter,
  wholeNumberParameter,
} from '../../../../src/http/request/query.ts';
import type { AppError, FieldError } from '../../../../src/lib/app-error.ts';

const schema = z.object({
  limit: wholeNumberParameter(1, 500).optional(),
  wait: secondsParameter(60).optional(),
  state: listParameter(z.enum(['queued', 'failed'])).optional(),
});

const request = (query: Record<string, unknown>): Request => ({ query }) as unknown as Request;
const parse = (query: Record<string, unknown>) => parseQuery(schema, request(query));

/** What is refused, and in which words. */
function errorsOf(query: Record<string, unknown>): readonly FieldError[] {
  try {
    parse(query);
  } catch (error) {
    expect(error).toMatchObject({ name: 'AppError', code: 'invalid-request' });
    return (error as AppError).errors;
  }
  throw new Error('the query was accepted');
}

describe('a whole number', () => {
  test.each([
    ['1', 1],
    ['500', 500],
    ['007', 7],
  ])('%s', (given, limit) => expect(parse({ limit: given }).limit).toBe(limit));

  test.each(['0', '501', '', '-1', '1.5', '1e2', ' 1', '1 ', 'x'])('%j is refused', (given) =>
    expect(errorsOf({ limit: given })).toEqual([
      { field: 'limit', message: 'must be a whole number from 1 to 500' },
    ]),
  );

  test('given twice is refused', () =>
    expect(errorsOf({ limit: ['1', '2'] })).toEqual([{ field: 'limit', message: 'must be given once' }]));
});

describe('seconds', () => {
  test.each([
    ['0', 0],
    ['60', 60],
    ['1.25', 1.25],
    // As JSON writes numbers.
    ['2e-16', 2e-16],
    ['1.5E+1', 15],
  ])('%s', (given, wait) => expect(parse({ wait: given }).wait).toBe(wait));

  test.each(['60.1', '-1', '1.', '.5', '1.5s', 's1', '', '6.1e1', '1e', 'e1', '1e999'])(
    '%j is refused',
    (given) =>
      expect(errorsOf({ wait: given })).toEqual([
        { field: 'wait', message: 'must be a number of seconds from 0 to 60' },
      ]),
  );

  test('given twice is refused', () =>
    expect(errorsOf({ wait: ['1', '2'] })).toEqual([{ field: 'wait', message: 'must be given once' }]));
});

describe('a list', () => {
  test.each([['queued,failed'], [['queued', 'failed']]])('%j', (given) =>
    expect(parse({ state: given }).state).toEqual(['queued', 'failed']),
  );

  test('what is neither text nor a list of texts is an empty one', () =>
    expect(parse({ state: { a: 'b' } }).state).toEqual([]));

  test('with several wrong entries is one wrong parameter, named by the first', () =>
    expect(errorsOf({ state: 'queued,wrong,worse' })).toEqual([
      { field: 'state', message: 'must be one of queued, failed' },
    ]));
});

describe('a parameter that nobody knows', () => {
  test('is refused, with the one that was meant', () => {
    const [error, ...others] = errorsOf({ stat: 'failed' });
    expect(others).toEqual([]);
    expect(error?.field).toBe('stat');
    expect(error?.message).toMatch(/^unknown parameter.*"state"/);
  });

  test('comes before the wrong ones, which keep their order', () =>
    expect(errorsOf({ wait: 'x', limit: 'x', other: '1' }).map(({ field }) => field)).toEqual([
      'other',
      ...Object.keys(schema.shape).filter((name) => name !== 'state'),
    ]));

  test.each(['_', '_1700000000', '_cache'])('%s is a custom of caches and means nothing', (name) =>
    expect(parse({ [name]: '1' })).toEqual(parse({})),
  );

  test.each(['__proto', 'a_'])('%s is not', (name) =>
    expect(errorsOf({ [name]: '1' })).toMatchObject([{ field: name }]),
  );

  test('twenty are named, and of each name a hundred letters', () => {
    const names = Array.from({ length: 21 }, (_, index) => `${index}${'x'.repeat(200)}`);
    const errors = errorsOf(Object.fromEntries(names.map((name) => [name, '1'])));
    expect(errors).toHaveLength(20);
    expect(errors.every(({ field }) => field.length === 100)).toBe(true);
  });
});
