/** What the audit is told of a request, as far as no whole service is needed to see it. */
import { describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import type { AuditEntry } from '../../../../src/access/model/audit.ts';
import { auditRequests, auditRoute, noteTarget, routeFinder } from '../../../../src/http/middleware/audit.ts';
import { requestId } from '../../../../src/http/middleware/request-id.ts';
import { answerOf } from '../../../support/answer-of.ts';
import { eventually } from '../../../support/eventually.ts';

type Audited = Parameters<typeof auditRoute>[0];

const reading: Audited = { operationId: 'getThing', method: 'get', path: '/things', permission: 'read' };
const making: Audited = { operationId: 'makeThing', method: 'post', path: '/things', permission: 'operate' };

/** The entries about one request to a route; those who only read are told apart by what comes behind them. */
async function told(route: Audited | undefined, handler: RequestHandler) {
  const entries: AuditEntry[] = [];
  const log = { note: (entry: AuditEntry) => void entries.push(entry) };
  const app = express();
  app.use(requestId, auditRequests(log, routeFinder([], '/')), (req, res, next) =>
    req.headers['x-request-id'] === 'end' ? void res.status(403).end() : next(),
  );
  app.use(...(route ? [auditRoute(route, log)] : []), handler);
  await answerOf(app).catch(() => undefined);
  await answerOf(app, { headers: { 'X-Request-Id': 'end' } });
  await eventually('the end', () => entries.at(-1)?.requestId === 'end');
  return entries.slice(0, -1);
}

const answer =
  (status: number): RequestHandler =>
  (_req, res) =>
    void res.status(status).end();

describe('the audit', () => {
  test.each([
    [reading, 200, false],
    [reading, 400, false],
    [reading, 404, false],
    [reading, 500, false],
    [reading, 401, true],
    [reading, 403, true],
    [reading, 429, true],
    [{ ...reading, permission: 'operate' } as const, 200, true],
    [making, 200, true],
    [making, 404, true],
    [making, 500, true],
    [{ ...making, permission: 'public' } as const, 200, true],
    [{ ...making, changesNothing: true } as const, 200, false],
    [{ ...making, changesNothing: true } as const, 403, true],
    [undefined, 200, false],
    [undefined, 400, true],
    [undefined, 401, true],
    [undefined, 404, false],
  ] as const)('of %j with %d: %s', async (route, status, isTold) => {
    expect(await told(route, answer(status))).toHaveLength(isTold ? 1 : 0);
  });

  test('has what the handler knows better than the body', async () => {
    const body = { action: 'up', workdir: 'relative', workspace: 3, command: ['secret'] };
    const [entry] = await told(making, (req, res) => {
      req.body = body;
      noteTarget(req, { job: 'job-1', workdir: '/labs/relative' });
      res.end();
    });
    expect(entry).toMatchObject({ action: 'up', workdir: '/labs/relative', job: 'job-1' });
    expect(JSON.stringify(entry)).not.toMatch(/secret|workspace/);
  });
});
