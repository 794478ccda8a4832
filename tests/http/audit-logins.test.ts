/** The audit of refused logins. */
import { expect, describe, test } from '@jest/globals';
import { linesAbout, linesIn, type Line } from '../support/audit-lines.ts';
import type { RequestOptions } from '../support/http-client.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { makeGround, startService } from '../support/service.ts';
import { bearer, makeTeam, passwords, tokens } from '../support/team.ts';

const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });

describe('with a login', () => {
  const secured = { LAB_API_USER: 'ann', LAB_API_PASSWORD: 'right' };

  test('says who, and tells of those who were refused, also when they only wanted to read', async () => {
    const log = new MemoryLogger();
    const service = await startService({ log, env: secured, client: { headers: basic('ann:right') } });
    const method = 'DELETE';
    expect(await linesAbout(service, log, '/jobs/job-1-000000', { method })).toMatchObject([
      { user: 'ann', role: 'admin', loggedInBy: 'password', status: 404 },
    ]);
    const [refused] = await linesAbout(service, log, '/jobs', { headers: basic('ann:wrong') });
    expect(refused).toMatchObject({ event: 'request', method: 'GET', path: '/jobs', status: 401 });
    expect(refused).not.toHaveProperty('user');
    expect(JSON.stringify(log.entries)).not.toMatch(/right|wrong|Basic/);
  });

  test('names the operation and the object of a refused login, and tells no path that is not there from others', async () => {
    const log = new MemoryLogger();
    const service = await startService({
      log,
      env: { ...secured, LAB_API_BASE_PATH: '/netlab' },
      client: { headers: basic('ann:right') },
    });
    const headers = basic('ann:wrong');
    const about = async (target: string, options: RequestOptions = {}) =>
      linesAbout(service, log, target, { headers, ...options });
    expect(await about('/jobs/job-1-000000?x=1', { method: 'HEAD' })).toMatchObject([
      { operation: 'getJob', job: 'job-1-000000', path: '/netlab/jobs/job-1-000000', status: 401 },
    ]);
    expect(await about('/workspaces/w/files/a/b', { method: 'PUT', body: {} })).toMatchObject([
      { operation: 'putFile', workspace: 'w', file: 'a/b', status: 401 },
    ]);
    for (const target of ['/nothing', '/jobs/%ff']) {
      const [line, ...more] = await about(target);
      expect(line).toMatchObject({ status: 401 });
      expect(line).not.toHaveProperty('operation');
      expect(more).toEqual([]);
    }
  });

  test('a request for the session without credentials is not told; with wrong ones it is', async () => {
    const log = new MemoryLogger();
    const service = await startService({ log, env: secured });
    const marked = async (headers: Record<string, string>): Promise<Line[]> => {
      const lines = await linesAbout(service, log, '/session', { headers });
      return lines.map(({ operation, status }) => ({ operation, status }));
    };
    expect(await marked({})).toEqual([]);
    for (const headers of [basic('ann:wrong'), { Authorization: 'Digest x' }, { Cookie: 'lab-session=old' }])
      expect(await marked(headers)).toEqual([{ operation: 'getSession', status: 401 }]);
  });

  test('a flood of refused requests is a few lines, and one that says how many more there were', async () => {
    const log = new MemoryLogger();
    const service = await startService({ log, env: secured });
    for (let request = 0; request < 50; request += 1) await service.get('/jobs');
    await service.stop();
    const lines = linesIn(log);
    expect(lines.filter(({ event }) => event === 'request')).toHaveLength(30);
    expect(lines.at(-1)).toEqual({
      event: 'more-refusals',
      address: expect.stringContaining('127.0.0.1'),
      count: 20,
    });
  });
});

describe('a login with the right secret', () => {
  test.each([
    ['an expired token', bearer(tokens.old), 'the token tok_0000000d has expired (2020-01-01T00:00:00.000Z)'],
    ['a token of a locked user', bearer(tokens.ci), 'the user "ci" is locked'],
    ['a password of a locked user', basic(`vera:${passwords.vera}`), 'the user "vera" is locked'],
  ])('that is %s is answered with the reason, and the audit has the user', async (what, headers, reason) => {
    const log = new MemoryLogger();
    const team = await makeTeam(makeGround().root);
    const locks = what.includes('locked');
    team.change((users) =>
      users.map((user) => (locks && user.name !== 'ops' ? { ...user, locked: true } : user)),
    );
    const service = await startService({ log, env: team.env });
    const reply = await service.get('/jobs', headers);
    expect(reply).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
    expect(reply.json.detail).toContain(reason);
    const tokenId = /tok_\w{8}/.exec(headers.Authorization)?.[0];
    const [line] = await linesAbout(service, log, '/labs', { headers });
    expect(line).toMatchObject({ user: /"(\w+)"/.exec(reason)?.[1] ?? 'ci', error: 'unauthorized' });
    expect(line?.['tokenId']).toBe(tokenId);
    expect(line).not.toHaveProperty('role');
  });

  test('and one with a wrong secret are the same for a locked user as for a name that is not there', async () => {
    const log = new MemoryLogger();
    const team = await makeTeam(makeGround().root);
    team.change((users) => users.map((user) => (user.name === 'ops' ? user : { ...user, locked: true })));
    const service = await startService({ log, env: team.env });
    const wrong = [basic('vera:x'), bearer(`${tokens.ci}x`), bearer(`${tokens.old}x`), basic('nobody:x')];
    for (const headers of wrong) {
      const { detail } = (await service.get('/jobs', headers)).json;
      expect(detail).toBe('a valid login is required: a user name and password, or a token');
      const [line] = await linesAbout(service, log, '/labs', { headers });
      expect(line).not.toHaveProperty('user');
    }
  });
});
