/** What is reported of a request when its reply has ended: by its route, never by its path. */
import { expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import type { HttpObserver, StreamKind } from '../../../../src/http/http-observer.ts';
import { noteStream, observeRequests } from '../../../../src/http/middleware/observe-requests.ts';
import { answerOf } from '../../../support/answer-of.ts';
import { eventually } from '../../../support/eventually.ts';

type Ended = Parameters<HttpObserver['requestEnded']>[0];

function observed() {
  const ended: Ended[] = [];
  const streams: string[] = [];
  const observer: HttpObserver = {
    requestEnded: (request) => void ended.push(request),
    streamOpened: (kind: StreamKind) => {
      streams.push(`${kind} opened`);
      return () => void streams.push(`${kind} closed`);
    },
  };
  const app = express().use(observeRequests(observer));
  const reported = async (of: Express, options: Parameters<typeof answerOf>[1] = {}) => {
    await answerOf(of, options);
    return eventually('the report', () => ended[0]);
  };
  return { app, observer, streams, reported };
}

test('a request is reported by its method, the pattern of its route, its status and how long it took', async () => {
  const { app, reported } = observed();
  app.get('/{:id}', (_req, res) => void res.status(418).send('words'));
  const startedMs = performance.now();
  const request = await reported(app);
  expect(request).toEqual({ method: 'GET', route: '/{:id}', status: 418, durationMs: expect.any(Number) });
  expect(request.durationMs).toBeLessThanOrEqual(performance.now() - startedMs);
});

test('one that came to no route, or to one that is no text, has none', async () => {
  const nowhere = observed();
  expect(await nowhere.reported(nowhere.app, { method: 'DELETE' })).toMatchObject({
    method: 'DELETE',
    route: undefined,
    status: 404,
  });
  const pattern = observed();
  pattern.app.get(/./, (_req, res) => void res.end());
  expect(await pattern.reported(pattern.app)).toMatchObject({ route: undefined, status: 200 });
});

test('a stream is counted until it is over, and nobody reports how long that took', async () => {
  const { app, observer, streams, reported } = observed();
  app.get('/', (_req, res) => {
    noteStream(res, 'log', observer);
    streams.push('words');
    res.end('words');
  });
  expect(await reported(app)).toMatchObject({ route: '/', status: 200, durationMs: undefined });
  expect(streams).toEqual(['log opened', 'words', 'log closed']);
});

test('a client that is gone before there is a reply has no status, and no stream is counted for it', async () => {
  const { app, observer, streams, reported } = observed();
  app.get('/', (_req, res) => {
    res.once('close', () => noteStream(res, 'log', observer));
    res.destroy();
  });
  const lost = reported(app);
  await expect(lost).rejects.toThrow();
  expect(streams).toEqual([]);
});
