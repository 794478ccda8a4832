/** Users, their tokens and their sessions over HTTP: each change is one of the users file, and counts at once. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Reply } from '../support/http-client.ts';
import { expectProblem } from '../support/problem.ts';
import type { RunningService } from '../support/service.ts';
import { basic, bearer, logIn, passwords, send, teamService, tokens, type Team } from '../support/team.ts';

const vera = basic('vera', passwords.vera);
const ci = bearer(tokens.ci);

let team: Team;
let service: RunningService;
beforeAll(async () => {
  ({ team, service } = await teamService());
});
const ask = async (call: string, body?: unknown, as?: Record<string, string>): Promise<Reply> =>
  send(service, call, { body, ...(as && { as }) });

describe('users', () => {
  test('are listed in the order of the file, without their hashes', async () => {
    const { json, text } = await ask('GET /users');
    expect(json.users.map(({ name, role }: { name: string; role: string }) => [name, role])).toEqual([
      ['ops', 'admin'],
      ['vera', 'viewer'],
      ['ci', 'operator'],
    ]);
    expect(json.users[2]).toEqual({
      name: 'ci',
      role: 'operator',
      workdirs: null,
      hasPassword: false,
      groups: [],
      locked: false,
      tokens: 2,
      expiredTokens: 1,
      sessions: 0,
      inFile: true,
      subject: null,
    });
    expect(json).toMatchObject({ readOnly: null, problem: null });
    expect(text).not.toContain('$');
  });

  test('are added, changed and removed, and the file is the truth', async () => {
    const own = await teamService();
    const [password, next] = ['a first password', 'a second password'];
    const bob = { name: 'bob', role: 'operator', password, workdirs: ['/labs/bob'] };
    const added = await send(own.service, 'POST /users', { body: bob });
    expect(added).toMatchObject({ status: 201, json: { name: 'bob', workdirs: ['/labs/bob'] } });
    const alone = await send(own.service, 'POST /users', { body: { name: 'eve' } });
    expect(alone).toMatchObject({ status: 201, json: { name: 'eve', role: 'viewer' } });
    const session = async (words: string): Promise<Reply> =>
      send(own.service, 'GET /session', { as: basic('bob', words) });
    expect((await session(password)).json).toMatchObject({ role: 'operator', workdirs: ['/labs/bob'] });
    const changes = { role: 'viewer', workdirs: null, password: next };
    expect((await send(own.service, 'PATCH /users/bob', { body: changes })).json).toMatchObject({
      role: 'viewer',
      workdirs: null,
    });
    expect((await session(password)).status).toBe(401);
    expect((await session(next)).json).toMatchObject({ role: 'viewer' });
    expect(readFileSync(own.team.file, 'utf8')).toMatch(/bob/);
    expect(readFileSync(own.team.file, 'utf8')).not.toContain(next);
    expect((await send(own.service, 'DELETE /users/bob')).status).toBe(204);
    expect((await session(next)).status).toBe(401);
    expect(readFileSync(own.team.file, 'utf8')).not.toMatch(/bob/);
  });

  test('who are locked keep everything, and cannot log in by any way until they are unlocked', async () => {
    const own = await teamService();
    const cookie = await logIn(own.service, { token: tokens.ci });
    const outcomes = async (): Promise<number[]> =>
      Promise.all([ci, cookie].map(async (as) => (await send(own.service, 'GET /session', { as })).status));
    expect(await outcomes()).toEqual([200, 200]);
    const locked = await send(own.service, 'PATCH /users/ci', { body: { locked: true } });
    expect(locked.json).toMatchObject({ locked: true, tokens: 2, sessions: 0 });
    expect(await outcomes()).toEqual([401, 401]);
    await send(own.service, 'PATCH /users/ci', { body: { locked: false } });
    // The session does not come back.
    expect(await outcomes()).toEqual([200, 401]);
  });

  test.each<[string, object | undefined, [number, string, string]]>([
    ['POST /users', { name: 'vera', role: 'viewer' }, [409, 'conflict', 'already']],
    ['POST /users', { name: '..', role: 'viewer' }, [400, 'invalid-request', 'name: must have 1 to 128']],
    ['POST /users', { name: 'x', role: 'root' }, [400, 'invalid-request', 'role:']],
    ['POST /users', { name: 'x', role: 'viewer', password: 'short' }, [400, 'invalid-request', '8 to 1024']],
    [
      'POST /users',
      { name: 'x', role: 'viewer', password: 'line\nline\n' },
      [400, 'invalid-request', '8 to'],
    ],
    ['POST /users', { name: 'x', role: 'viewer', workdirs: ['labs'] }, [400, 'invalid-request', 'absolute']],
    ['POST /users', { name: 'x', role: 'viewer', admin: true }, [400, 'invalid-request', 'admin']],
    ['PATCH /users/vera', {}, [400, 'invalid-request', 'must name a field']],
    ['PATCH /users/nobody', { locked: true }, [404, 'user-not-found', 'nobody']],
    ['DELETE /users/nobody', undefined, [404, 'user-not-found', 'nobody']],
    ['PATCH /users/ops', { role: 'viewer' }, [403, 'forbidden', 'cannot change or remove themselves']],
    ['DELETE /users/ops', undefined, [403, 'forbidden', 'cannot change or remove themselves']],
  ])('%s with %j is refused: %j', async (call, body, [status, code, words]) => {
    const before = readFileSync(team.file, 'utf8');
    const reply = await ask(call, body);
    expectProblem(reply, status, code);
    expect(reply.json.detail).toContain(words);
    expect(readFileSync(team.file, 'utf8')).toBe(before);
  });

  test.each(['GET /users', 'POST /users', 'PATCH /users/ops', 'DELETE /users/ops'])(
    '%s is for administrators',
    async (call) => {
      for (const as of [ci, vera])
        expectProblem(await ask(call, call.startsWith('GET') ? undefined : {}, as), 403, 'forbidden');
    },
  );

  test('many changes at once are all made', async () => {
    const own = await teamService();
    const names = Array.from({ length: 12 }, (_none, at) => `user-${at}`);
    const replies = await Promise.all(
      names.map(async (name) => send(own.service, 'POST /users', { body: { name, role: 'viewer' } })),
    );
    expect(replies.map(({ status }) => status)).toEqual(names.map(() => 201));
    const { users } = (await send(own.service, 'GET /users')).json;
    expect(
      users
        .slice(3)
        .map(({ name }: { name: string }) => name)
        .toSorted(),
    ).toEqual(names.toSorted());
  });

  test('two administrators cannot remove each other at once', async () => {
    const own = await teamService();
    const password = 'another password';
    const eve = { name: 'eve', role: 'admin', password };
    await send(own.service, 'POST /users', { body: eve });
    const replies = await Promise.all([
      send(own.service, 'DELETE /users/eve'),
      send(own.service, 'DELETE /users/ops', { as: basic('eve', password) }),
    ]);
    const statuses = replies.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 401]);
    expect(readFileSync(own.team.file, 'utf8')).toContain('"admin"');
  });
});

describe('your own password', () => {
  test('is changed with the present one; the session is a new one, and others end', async () => {
    const own = await teamService();
    const words = { user: 'vera', password: passwords.vera };
    const [here, there] = [await logIn(own.service, words), await logIn(own.service, words)];
    const newPassword = 'correct horse battery';
    const body = { currentPassword: passwords.vera, newPassword };
    const reply = await send(own.service, 'PUT /session/password', { body, as: here });
    expect(reply).toMatchObject({ status: 200, json: { user: 'vera', loggedInBy: 'session' } });
    const renewed = { Cookie: reply.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
    const statusAs = async (as: Record<string, string>): Promise<number> =>
      (await send(own.service, 'GET /session', { as })).status;
    expect(await statusAs(renewed)).toBe(200);
    expect([await statusAs(here), await statusAs(there), await statusAs(vera)]).toEqual([401, 401, 401]);
    expect(await statusAs(basic('vera', newPassword))).toBe(200);
  });

  test('stays when the present one is wrong, which counts as a failed login', async () => {
    const own = await teamService();
    const body = { currentPassword: 'wrong', newPassword: 'correct horse battery' };
    const guess = async (): Promise<Reply> => send(own.service, 'PUT /session/password', { body, as: vera });
    const first = await guess();
    expectProblem(first, 403, 'forbidden');
    expect(first.json.errors).toEqual([{ field: 'currentPassword', message: 'is wrong' }]);
    for (let guesses = 1; guesses < 30; guesses += 1) await guess();
    expectProblem(await guess(), 429, 'too-many-attempts');
  });

  test('is not set by a user without one', async () => {
    const body = { currentPassword: 'x', newPassword: 'correct horse battery' };
    const reply = await ask('PUT /session/password', body, ci);
    expectProblem(reply, 403, 'forbidden');
    expect(reply.json.detail).toContain('an administrator can set one');
  });
});
