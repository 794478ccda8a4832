/** Users whom a proxy has signed in. */
import { beforeAll, expect, test } from '@jest/globals';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';
import { basic, bearer, makeTeam, passwords, tokens, type Team } from '../support/team.ts';

const header = 'X-Remote-User';

let team: Team;
let service: RunningService;
const startBehind = async (proxy: string): Promise<RunningService> =>
  startService({
    env: { ...team.env, LAB_API_TRUSTED_PROXIES: proxy, LAB_API_PROXY_USER_HEADER: header },
  });

beforeAll(async () => {
  team = await makeTeam(makeGround().root);
  service = await startBehind('127.0.0.1');
});

test.each([{}, bearer(tokens.ci), basic('ops', 'wrong'), { Cookie: 'lab-session=x' }])(
  'whom the proxy names it is, whatever else the request has: %j',
  async (headers) => {
    const { json } = await service.get('/session', {
      ...(headers as Record<string, string>),
      [header]: 'vera',
    });
    expect(json).toMatchObject({ user: 'vera', role: 'viewer', loggedInBy: 'proxy', expiresAt: null });
  },
);

test('whom it does not name logs in as anybody else', async () => {
  expectProblem(await service.get('/session', { [header]: '' }), 401, 'unauthorized');
  expect((await service.get('/session', { ...basic('ops', passwords.ops) })).json.user).toBe('ops');
  expectProblem(await service.get('/session', { [header]: 'nobody' }), 403, 'forbidden');
});

test('who is no trusted proxy may not say who somebody is', async () => {
  const other = await startBehind('192.0.2.7');
  expectProblem(await other.get('/session', { [header]: 'ops' }), 400, 'invalid-request');
  expectProblem(
    await other.get('/session', { [header]: 'ops', ...basic('ops', passwords.ops) }),
    400,
    'invalid-request',
  );
});

test('wrong logins count for the address that the proxy forwards', async () => {
  const own = await startBehind('127.0.0.1');
  const from = (address: string) => ({ 'X-Forwarded-For': address, ...bearer('x') });
  for (let guess = 0; guess < 30; guess += 1) await own.get('/jobs', from('192.0.2.1'));
  expect((await own.get('/jobs', from('192.0.2.1'))).status).toBe(429);
  expect((await own.get('/jobs', from('192.0.2.2'))).status).toBe(401);
  expect((await own.get('/session', { ...from('192.0.2.1'), [header]: 'vera' })).status).toBe(200);
});

test('a session behind a proxy with TLS has a cookie that never goes out without', async () => {
  const headers = { 'X-Forwarded-Proto': 'https' };
  const reply = await service.post('/session', { token: tokens.ci }, headers);
  expect(reply.headers['set-cookie']?.[0]).toMatch(/^__Host-lab-session=.*; Secure$/);
});
