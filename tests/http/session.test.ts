/** Sessions of browsers: how they begin, what they are good for, and everything that ends them. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { makePair, opensslMissing } from '../support/certificates.ts';
import type { Reply } from '../support/http-client.ts';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';
import { basic, bearer, login, logIn, makeTeam, passwords, tokens, type Team } from '../support/team.ts';

let team: Team;
let service: RunningService;
let based: RunningService;

beforeAll(async () => {
  team = await makeTeam(makeGround().root);
  service = await startService({ env: team.env });
  based = await startService({ env: { ...team.env, LAB_API_BASE_PATH: '/lab' } });
});

const setCookies = (reply: Reply): readonly string[] => reply.headers['set-cookie'] ?? [];

/** What a browser sends from now on. */
function cookieOf(reply: Reply): { Cookie: string } {
  expect(reply).toMatchObject({ status: 200 });
  return { Cookie: setCookies(reply)[0]?.split(';')[0] ?? '' };
}

describe('a login', () => {
  test.each([
    ['a password', login, { user: 'ops', role: 'admin', permissions: ['read', 'operate', 'administer'] }],
    ['a token', { token: tokens.ci }, { user: 'ci', role: 'operator', permissions: ['read', 'operate'] }],
    [
      'a password of a viewer',
      { user: 'vera', password: passwords.vera },
      { user: 'vera', permissions: ['read'] },
    ],
  ])('with %s begins a session, and says who that is', async (_what, words, who) => {
    const before = Date.now();
    const reply = await service.post('/session', words);
    expect(reply.json).toMatchObject({ ...who, loggedInBy: 'session', workdirs: null });
    const lasts = Date.parse(reply.json.expiresAt) - before;
    expect(Math.round(lasts / 60_000)).toBe(12 * 60);
    const asked = await service.get('/session', cookieOf(reply));
    expect(asked.json).toEqual(reply.json);
    expect([reply, asked].map(({ headers }) => headers['cache-control'])).toEqual(['no-store', 'no-store']);
    expect((await service.get('/jobs', cookieOf(reply))).status).toBe(200);
    expect(setCookies(reply)).toEqual([
      expect.stringMatching(
        /^lab-session=ses_[0-9a-f]{16}_[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
      ),
    ]);
  });

  test.each([
    [{}, 400],
    [[], 400],
    ['"ops"', 400],
    [{ user: 'ops' }, 400],
    [{ password: 'x' }, 400],
    [{ user: 'ops', password: 7 }, 400],
    [{ user: 'ops', password: 'x', token: 'x' }, 400],
    [{ user: 'ops', token: 'x' }, 400],
    [{ password: 'x', token: 'x' }, 400],
    [{ user: 'ops', password: 'x', role: 'admin' }, 400],
    [{ user: 'ops', password: 'x'.repeat(5_000) }, 400],
  ])('with %j is a mistake', async (body, status) => {
    expectProblem(await service.post('/session', body), status, 'invalid-request');
  });

  test.each([
    [{ user: 'ops', password: 'wrong' }],
    [{ user: 'nobody', password: passwords.ops }],
    [{ user: '', password: '' }],
    [{ token: 'x' }],
    [{ token: tokens.old }],
  ])('with %j is refused, and there is no cookie', async (body) => {
    const reply = await service.post('/session', body);
    expectProblem(reply, 401, 'unauthorized');
    expect(reply.headers['set-cookie']).toBeUndefined();
  });

  test('of a user with directories of his own says which those are', async () => {
    const own = await makeTeam(makeGround().root);
    own.change((users) => users.map((user) => ({ ...user, workdirs: ['/labs/a', '/labs/b'] })));
    const narrow = await startService({ env: own.env });
    const reply = await narrow.post('/session', { token: tokens.ci });
    expect(reply.json).toMatchObject({ user: 'ci', workdirs: ['/labs/a', '/labs/b'] });
    expect((await narrow.get('/session', cookieOf(reply))).json).toEqual(reply.json);
    expect((await narrow.get('/session', bearer(tokens.ci))).json).toMatchObject({
      loggedInBy: 'token',
      workdirs: ['/labs/a', '/labs/b'],
      expiresAt: null,
    });
  });

  test('is not read at length', async () => {
    const reply = await service.post('/session', { ...login, password: 'x'.repeat(20_000) });
    expectProblem(reply, 413, 'payload-too-large');
    expect(reply.json.detail).toContain('16 KiB');
  });

  test('counts towards the lockout of its address, and is refused to one that is locked out', async () => {
    const post = async (token: string) =>
      service.request('/session', { method: 'POST', body: { token }, from: '127.8.0.1' });
    for (let guess = 0; guess < 30; guess += 1) await post(`${guess}`);
    expectProblem(await post(tokens.ci), 429, 'too-many-attempts');
  });

  test('under a base path has a cookie for it alone', async () => {
    const reply = await based.post('/session', { token: tokens.ci });
    expect(setCookies(reply)[0]).toMatch(/^lab-session=\S+; Path=\/lab; /);
    expect((await based.get('/jobs', cookieOf(reply))).status).toBe(200);
  });

  test.each([
    ['', () => service, /^__Host-lab-session=\S+; Path=\/; .*; Secure$/],
    ['/lab', () => based, /^__Secure-lab-session=\S+; Path=\/lab; .*; Secure$/],
  ])(
    'behind a proxy with TLS, under %j, has a cookie that never goes out without',
    async (_base, at, form) => {
      const { host } = new URL(at().url);
      const headers = { Origin: `https://${host}`, Host: host };
      const reply = await at().post('/session', { token: tokens.ci }, headers);
      expect(setCookies(reply)[0]).toMatch(form);
      const { Cookie } = cookieOf(reply);
      expect((await at().get('/session', { Cookie })).json.user).toBe('ci');
      // A service at the root of the same host has a cookie of its own.
      const both = { Cookie: `__Host-lab-session=of-the-other; ${Cookie}` };
      if (at() === based) expect((await based.get('/session', both)).json.user).toBe('ci');
    },
  );

  (opensslMissing ? test.skip : test)('under TLS has a cookie of this host alone', async () => {
    const ground = makeGround();
    makePair(ground.root, 'lab');
    const file = (kind: string): string => path.join(ground.root, `lab.${kind}.pem`);
    const env = { ...team.env, LAB_API_TLS_CERT: file('cert'), LAB_API_TLS_KEY: file('key') };
    const own = await startService({ ground, env, client: { tls: { rejectUnauthorized: false } } });
    const reply = await own.post('/session', { token: tokens.ci });
    expect(setCookies(reply)[0]).toMatch(/^__Host-lab-session=\S+; Path=\/; .*; Secure$/);
    const { Cookie } = cookieOf(reply);
    expect((await own.get('/session', { Cookie })).json.user).toBe('ci');
    // Such a one anybody can plant who answers plain HTTP in the name of this host.
    expectProblem(await own.get('/session', { Cookie: Cookie.replace('__Host-', '') }), 401, 'unauthorized');
  });
});

describe('strangers', () => {
  test.each([
    ['GET', '/session'],
    ['HEAD', '/session'],
    ['GET', '/session/x'],
    ['GET', '/sessions'],
    ['GET', '/nothing'],
    ['DELETE', '/jobs'],
    ['GET', '/%zz'],
  ])('%s %s: are told to log in', async (method, target) => {
    expect((await service.request(target, { method })).status).toBe(401);
  });

  test('may ask what there is to do at the door', async () => {
    const reply = await service.request('/session', { method: 'PUT' });
    expectProblem(reply, 405, 'method-not-allowed');
    expect(reply.headers['allow']).toBe('GET, HEAD, POST, DELETE, OPTIONS');
  });

  test('may log out', async () => {
    const reply = await service.request('/session', { method: 'DELETE' });
    expect(reply.status).toBe(204);
    expect(setCookies(reply)).toEqual(['lab-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict']);
  });
});

describe('a session ends', () => {
  test('with its logout, for all who have its cookie, and no other session with it', async () => {
    const [one, other] = [await logIn(service), await logIn(service)];
    const reply = await service.request('/session', { method: 'DELETE', headers: one });
    expect(reply.status).toBe(204);
    expectProblem(await service.get('/jobs', one), 401, 'unauthorized');
    expect((await service.get('/jobs', other)).status).toBe(200);
  });

  test.each([
    ['the browser has a password besides', basic('ops', passwords.ops)],
    ['another user asks', bearer(tokens.ci)],
  ])('with its logout, also when %s', async (_what, besides) => {
    const cookie = await logIn(service);
    await service.request('/session', { method: 'DELETE', headers: { ...cookie, ...besides } });
    expectProblem(await service.get('/jobs', cookie), 401, 'unauthorized');
  });

  test('with its time', async () => {
    const own = await startService({ env: { ...team.env, LAB_API_SESSION_TTL: '1500ms' } });
    const cookie = await logIn(own, { token: tokens.ci });
    expect((await own.get('/session', cookie)).json.user).toBe('ci');
    await eventually('the end', async () =>
      (await own.get('/jobs', cookie)).status === 401 ? true : undefined,
    );
    // A browser goes on sending the cookie: that is no guess.
    for (let look = 0; look < 40; look += 1) expect((await own.get('/jobs', cookie)).status).toBe(401);
    expect((await own.get('/jobs', bearer(tokens.ci))).status).toBe(200);
  });

  test('when its user is removed, or changed, or its token revoked', async () => {
    const own = await makeTeam(makeGround().root);
    const changing = await startService({ env: own.env });
    const [ops, ci, vera] = [
      await logIn(changing),
      await logIn(changing, { token: tokens.ci }),
      await logIn(changing, { user: 'vera', password: passwords.vera }),
    ];
    own.change((users) =>
      users.map((user) => (user.name === 'ops' ? { ...user, role: 'viewer' } : { ...user, tokens: [] })),
    );
    await eventually('the end', async () =>
      (await changing.get('/jobs', ops)).status === 401 ? true : undefined,
    );
    expectProblem(await changing.get('/jobs', ci), 401, 'unauthorized');
    expect((await changing.get('/jobs', vera)).status).toBe(200);
    // Nor does it come back with the old role.
    own.change((users) => users);
    await eventually('the old role', async () => {
      const { role } = (await changing.get('/session', basic('ops', passwords.ops))).json;
      return role === 'admin' ? true : undefined;
    });
    expectProblem(await changing.get('/jobs', ops), 401, 'unauthorized');
  });
});

describe('on a server without users', () => {
  let open: RunningService;
  beforeAll(async () => {
    open = await startService();
  });

  test('GET says so', async () => {
    expect((await open.get('/session')).json).toEqual({
      user: null,
      role: 'admin',
      permissions: ['read', 'operate', 'administer'],
      workdirs: null,
      groups: [],
      loggedInBy: 'nothing',
      expiresAt: null,
      tokenId: null,
      hasPassword: false,
    });
  });

  test('there is nothing to log in to, or out of', async () => {
    const reply = await open.post('/session', login);
    expectProblem(reply, 409, 'conflict');
    expect(reply.json.detail).toContain('this server has no users');
    expect((await open.request('/session', { method: 'DELETE' })).status).toBe(204);
  });
});
