/** The lines of requests and errors in the log of the service. */
import { describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { accessLog } from '../../../../src/http/middleware/access-log.ts';
import { errors, notFound } from '../../../../src/http/middleware/errors.ts';
import { requestId } from '../../../../src/http/middleware/request-id.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { answerOf, type Answer } from '../../../support/answer-of.ts';
import { eventually } from '../../../support/eventually.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';

describe('a request', () => {
  async function logged(method: string, handler: RequestHandler) {
    const log = new MemoryLogger();
    await answerOf(express().use(requestId, accessLog(log, { logLevel: 'debug' }), handler), {
      method,
    }).catch(() => undefined);
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
});
