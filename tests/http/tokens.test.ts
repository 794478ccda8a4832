/** Tokens and sessions over HTTP: each user has their own, and administrators have all. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';
import type { Reply } from '../support/http-client.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';
import { basic, bearer, logIn, makeTeam, passwords, tokens, type Team } from '../support/team.ts';

const ops = basic('ops', passwords.ops);
const vera = basic('vera', passwords.vera);
const ci = bearer(tokens.ci);

let team: Team;
let service: RunningService;
const log = new MemoryLogger();
beforeAll(async () => {
  team = await makeTeam(makeGround().root);
  service = await startService({ log, env: team.env });
});

type Headers = Record<string, string>;
const post = async (body: unknown, as: Headers): Promise<Reply> =>
  service.request('/tokens', { method: 'POST', headers: as, body });
const revoke = async (id: string, as: Headers): Promise<Reply> =>
  service.request(`/tokens/${id}`, { method: 'DELETE', headers: as });
const tokensOf = async (as: Headers, query = ''): Promise<{ id: string; user: string }[]> =>
  (await service.get(`/tokens${query}`, as)).json.tokens;
const statusAs = async (as: Headers): Promise<number> => (await service.get('/session', as)).status;

describe('a token', () => {
  test('is made for oneself, shown once, used, and revoked', async () => {
    const note = 'for the\u0007 laptop';
    const { status, json, headers } = await post({ note, ttlSeconds: 3600 }, vera);
    expect({ status, cache: headers['cache-control'] }).toEqual({ status: 201, cache: 'no-store' });
    expect(json).toMatchObject({ user: 'vera', note: 'for the  laptop', lastUsedAt: null });
    const lasts = Date.parse(json.expiresAt) - Date.now();
    expect(Math.round(lasts / 60_000)).toBe(60);
    expect(readFileSync(team.file, 'utf8')).not.toContain(json.secret);
    expect((await service.get('/session', bearer(json.secret))).json).toMatchObject({
      user: 'vera',
      role: 'viewer',
      loggedInBy: 'token',
    });
    const [listed] = await tokensOf(vera);
    expect(listed).toMatchObject({ id: json.id, lastUsedFrom: expect.stringMatching(/^(127\.0\.0\.1|::)/) });
    expect(JSON.stringify(listed)).not.toContain(json.secret);
    expect((await revoke(json.id, vera)).status).toBe(204);
    expect(await statusAs(bearer(json.secret))).toBe(401);
    expectProblem(await revoke(json.id, vera), 404, 'token-not-found');
  });

  test('of another user is for administrators', async () => {
    expectProblem(await post({ user: 'ci' }, vera), 403, 'forbidden');
    expectProblem(await service.get('/tokens?user=ci', vera), 403, 'forbidden');
    const { json } = await post({ user: 'ci', note: 'nightly' }, ops);
    expect(await statusAs(bearer(json.secret))).toBe(200);
    expect((await tokensOf(vera)).map(({ user }) => user)).not.toContain('ci');
    expect((await tokensOf(ops, '?user=ci')).map(({ id }) => id)).toContain(json.id);
    // As if there was none of that id.
    expectProblem(await revoke(json.id, vera), 404, 'token-not-found');
    expect((await revoke(json.id, ops)).status).toBe(204);
    expectProblem(await post({ user: 'nobody' }, ops), 404, 'user-not-found');
  });

  test('makes no further tokens, unless its user is an administrator', async () => {
    expectProblem(await post({}, ci), 403, 'forbidden');
    expectProblem(await post({}, await logIn(service, { token: tokens.ci })), 403, 'forbidden');
    const own = (await post({ ttlSeconds: 3600 }, ops)).json;
    const { status, json } = await post({ user: 'ci' }, bearer(own.secret));
    expect(status).toBe(201);
    for (const { id } of [own, json]) expect((await revoke(id, ops)).status).toBe(204);
  });

  test('is refused to a user who has 32', async () => {
    const made: string[] = [];
    for (let count = 0; count < 32; count += 1) made.push((await post({}, vera)).json.id);
    expectProblem(await post({}, vera), 409, 'conflict');
    for (const id of made) await revoke(id, vera);
    expect(await tokensOf(vera)).toEqual([]);
  });

  test.each([
    [{ ttlSeconds: 0 }, 'ttlSeconds'],
    [{ ttlSeconds: 1.5 }, 'ttlSeconds'],
    [{ ttlSeconds: 4e9 }, 'ttlSeconds'],
    [{ note: 'x'.repeat(201) }, 'note'],
    [{ expires: '90d' }, 'expires'],
    ['null', 'body'],
  ])('with %j is a mistake', async (body, field) => {
    const reply = await post(body, vera);
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.json.detail).toContain(field);
  });

  test('has its last use after a restart and a lock, too', async () => {
    const own = makeGround();
    const { env } = await makeTeam(own.root);
    const lastUse = async (to: RunningService): Promise<unknown> => {
      const { json } = await to.get('/tokens?user=ci', ops);
      return json.tokens[0].lastUsedAt;
    };
    const first = await startService({ ground: own, env });
    expect(await lastUse(first)).toBeNull();
    await first.get('/jobs', ci);
    const used = await lastUse(first);
    expect(Date.parse(String(used))).not.toBeNaN();
    await first.request('/users/ci', { method: 'PATCH', headers: ops, body: { locked: true } });
    await first.stop();
    const second = await startService({ ground: own, env });
    expect(await lastUse(second)).toBe(used);
  });
});

describe('a session', () => {
  const sessionsOf = async (as: Headers, query = ''): Promise<Record<string, unknown>[]> =>
    (await service.get(`/sessions${query}`, as)).json.sessions;

  test('is listed with its browser, and ended by its user', async () => {
    const words = { user: 'vera', password: passwords.vera };
    const [here, there] = [await logIn(service, words), await logIn(service, words)];
    const mine = await sessionsOf(here);
    expect(mine.map(({ isCurrent }) => isCurrent)).toEqual([true, false]);
    expect(mine[1]).toMatchObject({
      user: 'vera',
      tokenId: null,
      address: expect.stringMatching(/^(127\.0\.0\.1|::)/),
    });
    const end = async (id: unknown, as: Headers): Promise<Reply> =>
      service.request(`/sessions/${String(id)}`, { method: 'DELETE', headers: as });
    expectProblem(await end(mine[1]?.['id'], ci), 404, 'session-not-found');
    expect((await end(mine[1]?.['id'], here)).status).toBe(204);
    expect([await statusAs(here), await statusAs(there)]).toEqual([200, 401]);
    expectProblem(await service.get('/sessions?user=vera', ci), 403, 'forbidden');
    expect(await sessionsOf(ops, '?user=vera')).toHaveLength(1);
    expect((await end(mine[0]?.['id'], ops)).status).toBe(204);
    expect(await statusAs(here)).toBe(401);
  });
});

test('the audit names the user, the token and the session that a request is about', async () => {
  const { json } = await post({ user: 'ci' }, ops);
  await revoke(json.id, ops);
  const refused = await service.post('/users', { name: 'new', role: 'boss' }, ops);
  expectProblem(refused, 400, 'invalid-request');
  await service.request('/users/vera', {
    method: 'PATCH',
    headers: ops,
    body: { role: 'viewer' },
  });
  const lines = await eventually('the line of the last change', () => {
    const all = log.entries.filter(({ message }) => message === 'audit').map(({ fields }) => fields);
    return all.at(-1)?.['operation'] === 'changeUser' ? all : undefined;
  });
  expect(lines.slice(-4)).toEqual([
    expect.objectContaining({ operation: 'addToken', user: 'ops', subject: 'ci', token: json.id }),
    expect.objectContaining({ operation: 'removeToken', token: json.id }),
    expect.objectContaining({ operation: 'addUser', subject: 'new', status: 400 }),
    expect.objectContaining({ operation: 'changeUser', subject: 'vera', status: 200 }),
  ]);
});
