import { expect, test } from '@jest/globals';
import type { Request, RequestHandler, Response } from 'express';
import { compose } from '../../../../src/http/middleware/compose.ts';

/** What happened, by the names of the handlers and what came out at the end. */
async function passThrough(...handlers: readonly (readonly [string, RequestHandler])[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  const noted = handlers.map(([name, handler]): RequestHandler => (req, res, next) => {
    seen.push(name);
    return handler(req, res, next);
  });
  await compose(...noted)({} as Request, {} as Response, (error?: unknown) => seen.push({ next: error }));
  return seen;
}

const goOn: RequestHandler = (_req, _res, next) => next();

test('one after the other, and then what follows', async () => {
  expect(await passThrough(['first', goOn], ['second', goOn])).toEqual([
    'first',
    'second',
    { next: undefined },
  ]);
});

test('whoever answers ends it', async () => {
  expect(await passThrough(['first', goOn], ['answers', () => undefined], ['third', goOn])).toEqual([
    'first',
    'answers',
  ]);
});

const refusal = new Error('refused');

test.each<readonly [string, RequestHandler]>([
  [
    'throws',
    () => {
      throw refusal;
    },
  ],
  ['passes an error on', (_req, _res, next) => next(refusal)],
])('whoever %s leads to the errors, once', async (name, handler) => {
  expect(await passThrough(['first', goOn], [name, handler], ['third', goOn])).toEqual([
    'first',
    name,
    { next: refusal },
  ]);
});

test('whoever goes on later may be followed by one that throws', async () => {
  const later: RequestHandler = (_req, _res, next) => queueMicrotask(() => next());
  const throws: RequestHandler = () => {
    throw refusal;
  };
  const seen = await passThrough(['later', later], ['throws', throws]);
  await Promise.resolve();
  expect(seen).toEqual(['later', 'throws', { next: refusal }]);
});
