/** Logins at a real identity provider, by a browser that keeps cookies. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { linesIn } from '../support/audit-lines.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { expectProblem } from '../support/problem.ts';
import { eventually } from '../support/eventually.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';
import { Browser, startProvider, type Provider } from '../support/sign-on.ts';
import { usersFile } from '../support/users-file.ts';

const publicUrl = 'https://lab.example.com/lab';
const often = { LAB_API_BASE_PATH: '/lab', LAB_API_OIDC_CHECK: '100ms' };

let provider: Provider;
const log = new MemoryLogger();
let service: RunningService;
const browser = (at = service): Browser => new Browser(publicUrl, { url: at.url });

beforeAll(async () => {
  provider = await startProvider(publicUrl);
  for (const [user, groups] of Object.entries({
    ann: ['netops', 'students'],
    sam: ['students'],
    eve: ['guests'],
  }))
    await provider.setGroups(user, groups);
  service = await startService({ log, env: { ...provider.env, ...often } });
});

async function loggedIn(user: string, at = service): Promise<Browser> {
  const visitor = browser(at);
  expect((await visitor.logIn(user)).headers.location).toBe('/lab/ui/jobs');
  return visitor;
}

async function untilEnded(of: Browser, at = service): Promise<void> {
  await eventually('the session has ended', async () => (await at.get('/session', of.cookie)).status === 401);
}

/** The code of the error that the login page shows. */
const refusedWith = (reply: {
  readonly status: number;
  readonly headers: { readonly location?: string | undefined };
}): unknown => {
  expect(reply.status).toBe(303);
  return new URL(reply.headers.location ?? '', publicUrl).searchParams.get('login');
};

describe('a login', () => {
  test('begins a session with the highest role of the groups, and the audit has it', async () => {
    const visitor = browser();
    const reply = await visitor.logIn('ann', '/labs/demo?node=r1');
    expect(reply).toMatchObject({ status: 303, headers: { location: '/lab/ui/labs/demo?node=r1' } });
    const cookies = reply.headers['set-cookie'] ?? [];
    expect(cookies.at(-1)).toMatch(
      /^__Secure-lab-session=ses_\S+; Path=\/lab; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await service.get('/session', visitor.cookie)).json).toMatchObject({
      user: 'ann',
      role: 'admin',
      loggedInBy: 'provider',
      workdirs: null,
      hasPassword: false,
    });
    expect((await service.get('/users', visitor.cookie)).json.users).toMatchObject([
      { name: 'ann', role: 'admin', inFile: false, subject: 'ann', sessions: 1 },
    ]);
    const { sessions } = (await service.get('/sessions', visitor.cookie)).json;
    expect(sessions).toMatchObject([{ user: 'ann', isFromProvider: true, isCurrent: true }]);
    const line = log.entries.find(({ fields }) => fields?.['operation'] === 'finishProviderLogin');
    expect(line?.fields).toMatchObject({ user: 'ann', role: 'admin', loggedInBy: 'provider', status: 303 });
    // Neither the code nor the state is in the path.
    expect(line?.fields).toMatchObject({ path: '/lab/session/oidc/callback' });
  });

  test('gives a user the labs that they start, and no more rights than their role', async () => {
    const sam = await loggedIn('sam');
    expect((await service.get('/session', sam.cookie)).json).toMatchObject({ user: 'sam', role: 'operator' });
    expectProblem(await service.get('/users', sam.cookie), 403, 'forbidden');
    const job = await service.request('/jobs', {
      method: 'POST',
      headers: sam.cookie,
      body: { action: 'create', topology: 'nodes: [r1]\n' },
    });
    expect(job).toMatchObject({ status: 202, json: { requestedBy: 'sam' } });
  });

  test('of a user without a role is refused', async () => {
    const reply = await browser().logIn('eve');
    expect(refusedWith(reply)).toBe('login-refused');
    const { fields } = log.entries.find(({ message }) => message.startsWith('a login at')) ?? {};
    expect(fields?.['cause']).toMatch(/"eve" has no role .*LAB_API_OIDC_ROLES.*\(it has guests\)/);
  });

  test('that is begun again and again fills no headers of requests, and the last one works', async () => {
    const visitor = browser();
    const begin = `${publicUrl}/session/oidc?to=/${'x'.repeat(1_000)}`;
    for (let login = 0; login < 20; login += 1) expect((await visitor.visit(begin)).status).toBe(303);
    expect(visitor.cookie.Cookie.split(';')).toHaveLength(4);
    await visitor.logIn('ann');
    expect((await service.get('/session', visitor.cookie)).status).toBe(200);
  });

  test('answers programs with a problem document', async () => {
    expectProblem(await service.get('/session/oidc/callback?state=x&code=y'), 403, 'login-expired');
    expectProblem(await service.get('/session/oidc?to=//evil.example'), 400, 'invalid-request');
  });
});

describe('a callback', () => {
  test('works once, also with the cookie of the login', async () => {
    const visitor = browser();
    const address = await visitor.logInAtProvider('ann');
    const before = visitor.cookie;
    await visitor.visit(address);
    expect((await service.get('/session', visitor.cookie)).json.user).toBe('ann');
    expect(refusedWith(await visitor.visit(address))).toBe('login-expired');
    const { pathname, search } = new URL(address);
    const replayed = await service.get(pathname.replace('/lab', '') + search, before);
    expectProblem(replayed, 403, 'login-refused');
  });

  test('works in no other browser', async () => {
    const address = await browser().logInAtProvider('ann');
    const other = browser();
    expect(refusedWith(await other.visit(address))).toBe('login-expired');
    await other.logInAtProvider('sam');
    expect(refusedWith(await other.visit(address))).toBe('login-expired');
  });

  test('without a login makes no more lines of the audit than other refusals', async () => {
    const ownLog = new MemoryLogger();
    const own = await startService({ env: { ...provider.env, ...often }, log: ownLog });
    for (let request = 0; request < 40; request += 1)
      await own.get('/session/oidc/callback?state=x', { Accept: 'text/html' });
    await own.stop();
    const lines = linesIn(ownLog);
    expect(lines.filter(({ error }) => error === 'login-expired')).toHaveLength(30);
    expect(lines.at(-1)).toMatchObject({ event: 'more-refusals', count: 10 });
  });

  test('with the code of another login is refused', async () => {
    const [one, other] = [browser(), browser()];
    const [address, stolen] = [await one.logInAtProvider('sam'), await other.logInAtProvider('ann')];
    const mixed = new URL(address);
    mixed.searchParams.set('code', new URL(stolen).searchParams.get('code') ?? '');
    expect(refusedWith(await one.visit(mixed.href))).toBe('login-refused');
  });
});

describe('a session', () => {
  test('ends when the group is taken away, with its streams', async () => {
    await provider.setGroups('tom', ['students']);
    const tom = await loggedIn('tom');
    const events = await service.open('/events', { headers: { ...tom.cookie, Accept: 'text/event-stream' } });
    const ended = new Promise((resolve) => events.once('close', resolve));
    events.resume();
    await provider.setGroups('tom', []);
    await untilEnded(tom);
    await ended;
    const ann = await loggedIn('ann');
    const { users } = (await service.get('/users', ann.cookie)).json as { users: { name: string }[] };
    expect(users.map(({ name }) => name)).not.toContain('tom');
  });

  test('ends when another group gives another role', async () => {
    await provider.setGroups('una', ['students']);
    const una = await loggedIn('una');
    await provider.setGroups('una', ['netops']);
    await untilEnded(una);
    await una.logIn('una');
    expect((await service.get('/session', una.cookie)).json.role).toBe('admin');
  });

  test('with another role ends at the next login, which takes its place', async () => {
    const own = await startService({ env: { ...provider.env, LAB_API_BASE_PATH: '/lab' } });
    await provider.setGroups('ida', ['students']);
    const first = await loggedIn('ida', own);
    await provider.setGroups('ida', ['netops']);
    const next = await loggedIn('ida', own);
    expect((await own.get('/session', next.cookie)).json.role).toBe('admin');
    expectProblem(await own.get('/session', first.cookie), 401, 'unauthorized');
  });

  test('that has expired is in the way of no new user', async () => {
    const own = await startService({ env: { ...provider.env, ...often, LAB_API_SESSION_TTL: '2s' } });
    await untilEnded(await loggedIn('ann', own), own);
    await loggedIn('sam', own);
  });

  test('ends when the provider removes the user', async () => {
    await provider.setGroups('zoe', ['students']);
    const zoe = await loggedIn('zoe');
    await provider.removeUser('zoe');
    await untilEnded(zoe);
  });

  test('ends with a logout, which goes on at the provider', async () => {
    const ann = await loggedIn('ann');
    const logout = await service.request('/session/oidc/logout', { method: 'POST', headers: ann.cookie });
    const next = new URL((logout.json as { url: string }).url);
    expect(next.origin).toBe(provider.issuer);
    expect(next.searchParams.get('post_logout_redirect_uri')).toBe(`${publicUrl}/ui/`);
    expect((await ann.visit(next.href)).status).toBe(200);
    expectProblem(await service.get('/session', ann.cookie), 401, 'unauthorized');
    const again = await service.request('/session/oidc/logout', { method: 'POST' });
    expect(again.json).toEqual({ url: null });
  });

  test('of a user of the file ends when the entry no longer names them', async () => {
    const ground = makeGround();
    const entry = { name: 'ann', role: 'viewer', subject: 'ann', workdirs: ['/labs/ann'] };
    const file = usersFile(ground.root, JSON.stringify({ users: [entry] }));
    const env = { ...provider.env, ...often, LAB_API_USERS_FILE: file };
    const ownLog = new MemoryLogger();
    const own = await startService({ ground, env, log: ownLog });
    const ann = await loggedIn('ann', own);
    expect((await own.get('/session', ann.cookie)).json).toMatchObject({
      role: 'viewer',
      workdirs: ['/labs/ann'],
    });
    const token = await own.request('/tokens', {
      method: 'POST',
      headers: ann.cookie,
      body: { note: 'laptop' },
    });
    expect(token.status).toBe(201);
    writeFileSync(file, JSON.stringify({ users: [{ ...entry, subject: 'another' }] }));
    await untilEnded(ann, own);
    expect(refusedWith(await ann.logIn('ann'))).toBe('conflict');
    const isRefused = async (cause: string): Promise<void> =>
      eventually(cause, async () => {
        await ann.logIn('ann');
        return ownLog.entries.some(({ fields }) => String(fields?.['cause']).includes(cause));
      }).then(() => undefined);
    writeFileSync(file, JSON.stringify({ users: [{ ...entry, locked: true }] }));
    await isRefused('the user "ann" is locked');
    writeFileSync(file, JSON.stringify({ users: [{ ...entry, name: 'ann.b', locked: true }] }));
    await isRefused('"ann" has the subject of "ann.b" in the users file');
  });

  test('ends with the service, and is in no file', async () => {
    const ground = makeGround();
    const first = await startService({ ground, env: { ...provider.env, ...often } });
    const ann = await loggedIn('ann', first);
    await first.stop();
    const next = await startService({ ground, env: { ...provider.env, ...often } });
    expectProblem(await next.get('/session', ann.cookie), 401, 'unauthorized');
  });

  test('outlives a user info that is down, although each refresh token works once', async () => {
    const short = await startProvider(publicUrl);
    await short.setGroups('ann', ['netops']);
    const ownLog = new MemoryLogger();
    const own = await startService({ env: { ...short.env, ...often }, log: ownLog });
    const ann = await loggedIn('ann', own);
    await short.setInfo(false);
    await eventually('two checks fail', () => {
      const failed = ownLog.entries.filter(({ message }) => message === 'a session could not be checked');
      return failed.length > 1;
    });
    await short.setGroups('ann', ['students']);
    await short.setInfo(true);
    await untilEnded(ann, own);
    const end = ownLog.entries.find(({ message }) => message.startsWith('a session ended'));
    expect(end?.fields).toMatchObject({ cause: 'the user is ann with the role operator now' });
  });

  test('goes on while the provider is down, and no login begins', async () => {
    const short = await startProvider(publicUrl);
    await short.setGroups('ann', ['netops']);
    const ownLog = new MemoryLogger();
    const own = await startService({ env: { ...short.env, ...often }, log: ownLog });
    const ann = await loggedIn('ann', own);
    await short.kill();
    await eventually('a check fails', () =>
      ownLog.entries.some(({ message }) => message === 'a session could not be checked'),
    );
    expect((await own.get('/session', ann.cookie)).status).toBe(200);
    const stale = await startService({ env: { ...short.env, ...often } });
    expect(refusedWith(await browser(stale).visit(`${publicUrl}/session/oidc`))).toBe('provider-unavailable');
  });
});
