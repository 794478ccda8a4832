import { describe, expect, test } from '@jest/globals';
import type { Request } from 'express';
import { problemDocument, sendProblem, toAppError } from '../../../../src/http/reply/problem.ts';
import { AppError, invalidField } from '../../../../src/lib/app-error.ts';
import { answerOf } from '../../../support/answer-of.ts';

describe('any thrown value becomes an AppError', () => {
  test('one stays what it is', () => {
    const error = new AppError('job-not-found', 'no such job');
    expect(toAppError(error)).toBe(error);
  });

  test.each([
    [new URIError('%'), 'invalid-request', /path/],
    [Object.assign(new Error('x'), { status: 400, type: 'entity.parse.failed' }), 'invalid-json', /JSON/],
    [
      Object.assign(new Error('x'), { status: 413, type: 'entity.too.large', limit: 2 ** 20 }),
      'payload-too-large',
      /1 MiB/,
    ],
    [Object.assign(new Error('x'), { status: 415, type: 'other' }), 'invalid-request', /cannot be read: x/],
    [Object.assign(new Error('zlib'), { status: 400 }), 'invalid-request', /cannot be read: zlib/],
  ])('%s', (thrown, code, message) => {
    const error = toAppError(thrown);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  test.each([
    [Object.assign(new Error('secret'), { status: 500 })],
    [new Error('secret')],
    ['secret'],
    [null],
    [undefined],
  ])('%s is ours, and keeps its details to itself', (thrown) => {
    const error = toAppError(thrown);
    expect(error.code).toBe('internal');
    expect(error.message).not.toContain('secret');
    expect(error.cause).toBe(thrown);
  });
});

describe('the document', () => {
  const req = { originalUrl: '/jobs?x=1', id: 'req-1' } as unknown as Request;

  test('names the fields and further members, without marks that a terminal obeys', () => {
    expect(problemDocument(invalidField('workdir', 'is missing'), req)).toMatchObject({
      errors: [{ field: 'workdir', message: 'is missing' }],
    });
    const odd = invalidField('a\u202e', 'no "\u2066\u001b"\nnor this');
    expect(problemDocument(odd, req)).toMatchObject({
      detail: String.raw`a\u202e: no "\u2066\u001b"` + '\nnor this',
      errors: [{ field: String.raw`a\u202e`, message: String.raw`no "\u2066\u001b"` + '\nnor this' }],
    });
    const busy = new AppError('workdir-busy', 'busy', { extra: { conflictingJobId: 'job-1' } });
    expect(problemDocument(busy, req)).toMatchObject({ conflictingJobId: 'job-1' });
  });
});

describe('the reply', () => {
  const answer = (error: AppError) => answerOf((req, res) => sendProblem(error, req, res));

  test('says when to try again', async () => {
    const { headers } = await answer(new AppError('queue-full', 'full', { retryAfterSeconds: 7 }));
    expect(headers['retry-after']).toBe('7');
  });
});
