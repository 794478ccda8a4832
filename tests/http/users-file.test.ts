/** The users file as the only truth: what changes over HTTP leave as it is, and what they refuse. */
import { describe, expect, test } from '@jest/globals';
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService } from '../support/service.ts';
import { basic, makeTeam, passwords, send, teamService } from '../support/team.ts';

const vera = basic('vera', passwords.vera);

describe('the users file', () => {
  test('with a mistake is not changed, and the list says so', async () => {
    const own = await teamService();
    const broken = 'users: [{ name: eva, rolle: viewer }]\n';
    writeFileSync(own.team.file, broken);
    const problem = await eventually('the mistake', async () => {
      const { json } = await send(own.service, 'GET /users');
      return json.problem ?? undefined;
    });
    expect(problem).toContain('rolle');
    const reply = await send(own.service, 'POST /users', { body: { name: 'x', role: 'viewer' } });
    expectProblem(reply, 409, 'conflict');
    expect(reply.json.detail).toContain('rolle');
    expect(readFileSync(own.team.file, 'utf8')).toBe(broken);
    expect((await send(own.service, 'GET /tokens')).json.readOnly).toContain('rolle');
    // The mistake names other users.
    expect((await send(own.service, 'GET /tokens', { as: vera })).json.readOnly).toBe(
      'the service cannot change the users file at present: ask an administrator',
    );
  });

  test('is changed by the rules by which the service reads it', async () => {
    const own = await makeTeam(makeGround().root);
    const env = { ...own.env, LAB_API_USER: 'root', LAB_API_PASSWORD: 'the password' };
    const both = await startService({ env });
    // The service refuses a user of the name of LAB_API_USER.
    own.change((users) => [...users, { name: 'root', role: 'viewer' }]);
    const before = readFileSync(own.file, 'utf8');
    const reply = await send(both, 'PATCH /users/vera', { body: { locked: true } });
    expectProblem(reply, 409, 'conflict');
    expect(reply.json.detail).toContain('LAB_API_USER');
    expect(readFileSync(own.file, 'utf8')).toBe(before);
    // Its mistakes name other users.
    const asVera = await send(both, 'POST /tokens', { body: {}, as: vera });
    expect(asVera.json.detail).toBe('the users file was not changed: ask an administrator');
  });

  test('counts as it is at the time of a change, also after a change by hand', async () => {
    const own = await teamService();
    own.team.change((users) =>
      users.map((user) => (user.name === 'ops' ? { ...user, role: 'viewer' } : user)),
    );
    const reply = await send(own.service, 'PATCH /users/vera', { body: { role: 'admin' } });
    expect([401, 403]).toContain(reply.status);
    expect(readFileSync(own.team.file, 'utf8')).not.toContain('admin');
  });

  test('behind a symbolic link is changed, and the link stays', async () => {
    const ground = makeGround();
    const own = await makeTeam(ground.root);
    const link = path.join(path.dirname(own.file), 'link.yaml');
    symlinkSync(own.file, link);
    const linked = await startService({ ground, env: { LAB_API_USERS_FILE: link } });
    expect((await send(linked, 'PATCH /users/vera', { body: { locked: true } })).status).toBe(200);
    expect(readFileSync(own.file, 'utf8')).toContain('locked');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test('has room that only administrators can fill', async () => {
    const own = await teamService();
    const note = '\u{1F511}'.repeat(200);
    own.team.change((users) => [
      ...users,
      ...Array.from({ length: 9 }, (_none, at) => ({
        name: `full-${at}`,
        role: 'viewer',
        tokens: Array.from({ length: 26 }, (_token, number) => ({
          id: `tok_${(4096 + at * 100 + number).toString(16).padStart(8, '0')}`,
          sha256: 'ab'.repeat(32),
          note,
        })),
      })),
    ]);
    const refused = await send(own.service, 'POST /tokens', { body: {}, as: vera });
    expectProblem(refused, 409, 'conflict');
    expect(refused.json.detail).toContain('full');
    expect((await send(own.service, 'PATCH /users/full-1', { body: { locked: true } })).status).toBe(200);
  });

  test('keeps its mode and its comments', async () => {
    const own = await teamService();
    const text = readFileSync(own.team.file, 'utf8');
    writeFileSync(own.team.file, `# Ask Ann before you change this.\n${text}\n`);
    chmodSync(own.team.file, 0o640);
    await send(own.service, 'POST /users', { body: { name: 'x', role: 'viewer' } });
    expect(readFileSync(own.team.file, 'utf8')).toMatch(/^# Ask Ann/);
    expect(statSync(own.team.file).mode & 0o777).toBe(0o640);
  });

  test('need not be there: the user of LAB_API_USER is listed, and cannot be changed', async () => {
    const env = { LAB_API_USER: 'root', LAB_API_PASSWORD: 'the password' };
    const alone = await startService({ env });
    const as = basic('root', 'the password');
    const { json } = await send(alone, 'GET /users', { as });
    expect(json.users).toEqual([expect.objectContaining({ name: 'root', inFile: false })]);
    expect(json.readOnly).toContain('LAB_API_USERS_FILE is not set');
    expect((await send(alone, 'GET /tokens', { as })).json.readOnly).toBe(json.readOnly);
    const refused = await send(alone, 'POST /users', { as, body: { name: 'x', role: 'viewer' } });
    expectProblem(refused, 422, 'not-supported');
    const own = { currentPassword: 'the password', newPassword: 'a new password' };
    expectProblem(await send(alone, 'PUT /session/password', { as, body: own }), 422, 'not-supported');
  });

  test('of a server without users is an empty list, and nothing can be changed', async () => {
    const open = await startService();
    expect((await open.get('/users')).json).toMatchObject({ users: [] });
    expect((await open.get('/tokens')).json).toMatchObject({ tokens: [] });
    expect((await open.get('/sessions')).json).toEqual({ sessions: [] });
    for (const [call, body] of [
      ['POST /tokens', {}],
      ['PUT /session/password', { currentPassword: 'x', newPassword: 'a new password' }],
    ] as const)
      expectProblem(await send(open, call, { body }), 409, 'conflict');
  });

  test('cannot change the user of LAB_API_USER, also beside others', async () => {
    const own = await makeTeam(makeGround().root);
    const env = { ...own.env, LAB_API_USER: 'root', LAB_API_PASSWORD: 'the password' };
    const both = await startService({ env });
    for (const call of ['PATCH /users/root', 'DELETE /users/root']) {
      const reply = await send(both, call, call.startsWith('PATCH') ? { body: { role: 'viewer' } } : {});
      expectProblem(reply, 409, 'conflict');
      expect(reply.json.detail).toContain('LAB_API_USER');
    }
    expectProblem(
      await send(both, 'POST /users', { body: { name: 'root', role: 'viewer' } }),
      409,
      'conflict',
    );
  });
});
