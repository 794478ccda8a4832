import { describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';
import { z } from 'zod';
import type { WholeContext } from '../../../src/http/context.ts';
import { errors } from '../../../src/http/middleware/errors.ts';
import { admitAnybody } from '../../../src/http/middleware/permitted.ts';
import { strongETag } from '../../../src/http/reply/etag.ts';
import { apiDocument } from '../../../src/http/openapi/api-document.ts';
import { routerOf } from '../../../src/http/route-table.ts';
import { defineRoute, ignoredQuery, jsonReply, noParams, noQuery } from '../../../src/http/route.ts';
import { routes } from '../../../src/http/routers/routes.ts';
import { invalidField } from '../../../src/lib/app-error.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';

const described = {
  permission: 'public',
  about: 'thisHost',
  tag: 'service',
  operationId: 'test',
  summary: 'A route of a test',
  description: 'Only for a test.',
} as const;

const getThing = defineRoute({
  ...described,
  method: 'get',
  path: '/things/:name',
  params: z.object({ name: z.string() }),
  query: z.object({ size: z.coerce.number().default(1) }),
  replies: { 200: jsonReply('A thing', z.object({ name: z.string(), size: z.number() })) },
  handler: ({ params: { name }, query: { size } }) => ({
    kind: 'json',
    status: 200,
    value: { name, size },
    headers: { 'X-Kind': 'thing', ETag: strongETag(name) },
  }),
});

const makeThing = defineRoute({
  ...described,
  method: 'post',
  path: '/things/:name',
  params: z.object({ name: z.string() }),
  query: noQuery,
  body: {
    schema: z.object({ size: z.number() }),
    parse: (body) => {
      if (!Object.hasOwn(body as object, 'size')) throw invalidField('size', 'is required');
      return body as { size: number };
    },
  },
  replies: { 202: jsonReply('The thing', z.object({ size: z.number() })) },
  handler: ({ body }) => ({ kind: 'json', status: 202, value: body }),
});

const removeThing = defineRoute({
  ...described,
  method: 'delete',
  path: '/things/:name',
  params: z.object({ name: z.string() }),
  query: noQuery,
  replies: { 204: { description: 'It is gone', content: {} } },
  handler: () => ({ kind: 'empty' }),
});

const probe = defineRoute({
  ...described,
  method: 'get',
  path: '/probe',
  params: noParams,
  query: ignoredQuery,
  replies: { 200: { description: 'Bytes', content: { 'text/plain': 'bytes' } } },
  handler: () => ({ kind: 'bytes', bytes: Buffer.from('ok'), headers: { 'Content-Type': 'text/plain' } }),
});

const since = new Date('2027-01-31T00:00:00Z');
const deprecated = { since, sunset: new Date('2027-08-31T00:00:00Z') };
const oldThing = { ...getThing, path: '/old/:name', deprecated };
const makeOldThing = { ...makeThing, path: '/old/:name', deprecated };

function serviceOf(): Express {
  const app = express();
  app.set('etag', false);
  // No handler above looks at the rest, and nobody here reads the audit.
  app.use(admitAnybody);
  const { signal: shutdown } = new AbortController();
  const context = { shutdown, audit: { note: () => undefined } } as unknown as WholeContext;
  app.use(routerOf([getThing, oldThing, makeOldThing, makeThing, removeThing, probe], context));
  app.use(errors(new MemoryLogger()));
  return app;
}

describe('a table of routes', () => {
  test('gives the handler what its schemas made of the request, and sends what it returns', async () => {
    const reply = await request(serviceOf()).get('/things/a?size=3');
    expect(reply).toMatchObject({ status: 200, body: { name: 'a', size: 3 } });
    expect(reply.headers).toMatchObject({
      'x-kind': 'thing',
      'content-type': 'application/json; charset=utf-8',
      etag: strongETag('a'),
    });
  });

  test('answers 304 to a client that has a tagged reply already', async () => {
    const reply = await request(serviceOf()).get('/things/a').set('If-None-Match', strongETag('a'));
    expect(reply).toMatchObject({ status: 304, text: '' });
  });

  test('sends bytes under their own media type, and ignores the query where the route says so', async () => {
    const reply = await request(serviceOf()).get('/probe?anything=1');
    expect(reply).toMatchObject({ status: 200, text: 'ok' });
    expect(reply.headers['content-type']).toMatch(/^text\/plain/);
  });

  test.each([
    { method: 'GET', target: '/old/a', body: '', status: 200 },
    { method: 'GET', target: '/old/a?size=none', body: '', status: 400 },
    { method: 'POST', target: '/old/a', body: '{', status: 400 },
  ])('says of a deprecated operation since when, and until when: $method $target $body', async (asked) => {
    const { method, target, body, status } = asked;
    const agent = request(serviceOf());
    const reply = await (method === 'GET' ? agent.get(target) : agent.post(target).type('json').send(body));
    expect(reply).toMatchObject({
      status,
      headers: { deprecation: '@1801353600', sunset: 'Tue, 31 Aug 2027 00:00:00 GMT' },
    });
  });

  test('describes it as deprecated, with these headers', () => {
    const served = { version: '1', basePath: '', hasAuth: false, publicHealthz: false, publicReadyz: false };
    const { paths } = apiDocument([getThing, oldThing], served, { operations: {}, problems: {} });
    expect(paths['/things/{name}']).not.toHaveProperty('get.deprecated');
    expect(paths['/old/{name}']).toMatchObject({
      get: { deprecated: true, responses: { 200: { headers: { Deprecation: {}, Sunset: {} } } } },
    });
  });
});

describe('the routes of the service', () => {
  test('each have a name of their own', () => {
    const names = routes.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(routes.map((route) => ({ title: `${route.method.toUpperCase()} ${route.path}`, route })))(
    '$title declares its parameters and its replies',
    ({ route }) => {
      const inPath = [...route.path.matchAll(/[:*](\w+)/g)].map(([, name]) => name);
      expect(Object.keys(route.params.shape)).toEqual(inPath);
      expect(Object.keys(route.replies).some((status) => Number(status) < 400)).toBe(true);
      expect(route.summary).toMatch(/^[A-Z]/);
    },
  );
});
