/** What the log of the service says of requests, of errors and of logins. */
import { describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { accessLog } from '../../../../src/http/middleware/access-log.ts';
import { authentication, anonymousRoutes } from '../../../../src/http/middleware/authentication.ts';
import { errors, notFound } from '../../../../src/http/middleware/errors.ts';
import { requestId } from '../../../../src/http/middleware/request-id.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { answerOf, type Answer } from '../../../support/answer-of.ts';
import { eventually } from '../../../support/eventually.ts';
import { loginsOf } from '../../../support/logins.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';

describe('a request', () => {
  async function logged(method: string, handler: RequestHandler) {
    const log = new MemoryLogger();
    await answerOf(express().use(requestId, accessLog(log, 'debug'), handler), { method }).catch(
      () => undefined,
    );
    return eventually('the line', () => log.entries[0]);
  }

  test.each([
    ['GET', 'debug'],
    ['HEAD', 'debug'],
    ['POST', 'info'],
    ['DELETE', 'info'],
  ])('%s is a line of level %s', async (method, level) => {
    const startedMs = performance.now();
    const { fields, ...line } = await logged(method, (_req, res) => void res.status(204).end());
    expect(fields['durationMs']).toBeLessThanOrEqual(Math.ceil(performance.now() - startedMs));
    expect(line).toEqual({ level, message: 'request' });
    expect(fields).toEqual({
      requestId: expect.any(String),
      method,
      path: '/',
      status: 204,
      durationMs: expect.any(Number),
      address: expect.stringContaining('127.0.0.1'),
      user: null,
    });
  });

  test('is no line where nobody wants it, unless it changes something', async () => {
    const log = new MemoryLogger();
    const app = express().use(requestId, accessLog(log, 'info'), (_req, res) => void res.end());
    for (const method of ['GET', 'HEAD', 'POST']) await answerOf(app, { method });
    await eventually('the line', () => log.entries[0]);
    expect(log.entries).toMatchObject([{ level: 'info', fields: { method: 'POST' } }]);
  });

  test("that broke off says so, and its query is nobody's business", async () => {
    const { fields } = await logged('GET', (req, res) => {
      req.originalUrl = '/jobs?secret=1';
      res.write('half', () => res.destroy());
    });
    expect(fields).toMatchObject({ path: '/jobs', aborted: true });
  });

  test('whose client went away before there was a reply has no status', async () => {
    const { fields } = await logged('GET', (_req, res) => void res.destroy());
    expect(fields).toMatchObject({ aborted: true, status: undefined });
  });
});

describe('an error', () => {
  async function failing(handler: RequestHandler): Promise<Answer & { log: MemoryLogger }> {
    const log = new MemoryLogger();
    return { ...(await answerOf(express().use(requestId, handler, errors(log)))), log };
  }
  const throwing = (error: unknown) =>
    failing(() => {
      throw error;
    });

  test('of the client is a problem, and no line', async () => {
    const { status, text, log } = await failing(notFound);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ code: 'not-found', detail: expect.stringContaining('/') });
    expect(log.entries).toEqual([]);
  });

  test('of a disk is a warning with its cause', async () => {
    const { status, log } = await throwing(
      new AppError('storage-fault', 'disk', { cause: new Error('EIO') }),
    );
    expect(status).toBe(503);
    expect(log.entries).toMatchObject([
      {
        level: 'warn',
        fields: { code: 'storage-fault', detail: 'disk', cause: 'EIO', requestId: expect.any(String) },
      },
    ]);
    expect((await throwing(new AppError('lab-cli-failed', 'no lab'))).log.entries).toHaveLength(1);
    const bare = await throwing(new AppError('storage-fault', 'disk'));
    expect(bare.log.entries[0]?.fields['cause']).toBeUndefined();
  });

  test('that nobody expected keeps its stack for the log', async () => {
    const { status, text, log } = await throwing(new Error('secret'));
    expect(status).toBe(500);
    expect(text).not.toContain('secret');
    expect(log.entries).toMatchObject([
      {
        level: 'error',
        fields: { method: 'GET', path: '/', stack: expect.stringMatching(/secret\n\s+at /) },
      },
    ]);
    expect((await throwing('a word')).log.entries[0]?.fields['stack']).toContain('a word');
  });

  test('in the middle of a reply cuts it off', async () => {
    const { complete, log } = await failing((_req, res, next) => {
      res.write('half', () => next(new Error('late')));
    });
    expect(complete).toBe(false);
    expect(log.errors()).toHaveLength(1);
  });

  test('because the client went away in the middle is none', async () => {
    const left = Object.assign(new Error('x'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
    const { text, log } = await failing((_req, res, next) => {
      res.write('half');
      next(left);
      res.end();
    });
    expect(text).toBe('half');
    expect(log.entries).toEqual([]);
    expect((await throwing(left)).log.errors()).toHaveLength(1);
  });

  test('because the client went away before there was a reply is none', async () => {
    const log = new MemoryLogger();
    const left = Object.assign(new Error('x'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
    const hangUp: RequestHandler = (_req, res, next) => {
      res.destroy();
      next(left);
    };
    const app = express().use(requestId, accessLog(log, 'debug'), hangUp, errors(log));
    await answerOf(app).catch(() => undefined);
    await eventually('the line', () => log.entries[0]);
    expect(log.errors()).toEqual([]);
  });
});

describe('a login', () => {
  const ann = {
    name: 'ann',
    role: 'admin',
    workdirs: null,
    password: { kind: 'plain', text: 'right' },
    tokens: [],
  } as const;
  const basic = (user: string, password: string) => ({
    Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  });

  const site = { basePath: '', tls: undefined };

  function guarded() {
    const log = new MemoryLogger();
    const probes: RequestHandler = (_req, _res, next) => next();
    const app = express().use(
      requestId,
      authentication({ config: site, logins: loginsOf([ann]), proxyUser: undefined, probes, log }),
    );
    app.use(anonymousRoutes((_req, _res, next) => next()));
    app.use((req, res) => void res.send(`hello ${String(req.principal?.name)}`));
    app.use(errors(log));
    return { log, ask: (headers: Record<string, string> = {}) => answerOf(app, { headers }) };
  }

  test('with the right words passes', async () => {
    const { ask, log } = guarded();
    expect(await ask(basic('ann', 'right'))).toMatchObject({ status: 200, text: 'hello ann' });
    expect(log.entries).toEqual([]);
  });

  test.each([
    ['ann', 'wrong'],
    ['bob', 'right'],
    ['', ''],
  ])('as %j with %j is refused, and on record without the words', async (user, password) => {
    const { ask, log } = guarded();
    const { status, headers, text } = await ask(basic(user, password));
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe(
      'Basic realm="lab-api", charset="UTF-8", Bearer realm="lab-api"',
    );
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(JSON.parse(text)).toMatchObject({ code: 'unauthorized', requestId: headers['x-request-id'] });
    expect(log.entries).toEqual([
      {
        level: 'info',
        message: 'a login failed',
        fields: { requestId: headers['x-request-id'], address: expect.stringContaining('127.0.0.1') },
      },
    ]);
  });

  test('that brings no words is no guess', async () => {
    const { ask, log } = guarded();
    expect(await ask()).toMatchObject({ status: 401 });
    expect(log.entries).toEqual([]);
  });

  test('is refused to an address after thirty wrong ones, the right words too', async () => {
    const { ask, log } = guarded();
    for (let guess = 0; guess < 30; guess += 1) await ask(basic('ann', `${guess}`));
    expect(log.entries.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { address: expect.stringContaining('127.0.0.1') } },
    ]);
    const locked = await ask(basic('ann', 'right'));
    expect(locked.status).toBe(429);
    expect(JSON.parse(locked.text)).toMatchObject({ code: 'too-many-attempts' });
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(30);
    expect(Number(locked.headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  test('probes are answered to a locked address, without more', async () => {
    const log = new MemoryLogger();
    const probes: RequestHandler = (_req, res) => void res.send('alive');
    const app = express().use(
      requestId,
      authentication({ config: site, logins: loginsOf([ann]), proxyUser: undefined, probes, log }),
    );
    app.use((_req, res) => void res.send('inside'));
    const ask = (password: string) => answerOf(app, { headers: basic('ann', password) });
    expect(await ask('right')).toMatchObject({ text: 'inside' });
    for (let guess = 0; guess < 30; guess += 1) await ask('wrong');
    expect(await ask('right')).toMatchObject({ text: 'alive' });
  });
});
