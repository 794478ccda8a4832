/** What a page of another site can do with the cookie of a session: nothing. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';
import { makeTeam, passwords } from '../support/team.ts';
import { TerminalClient } from '../support/terminal-client.ts';

const login = { user: 'ops', password: passwords.ops };

let service: RunningService;
beforeAll(async () => {
  service = await startService({ env: (await makeTeam(makeGround().root)).env });
});

async function logIn(): Promise<{ Cookie: string }> {
  const reply = await service.post('/session', login);
  return { Cookie: reply.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

describe('a page of another site', () => {
  test.each([
    { Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ])('can neither log in, nor out, nor do anything with the cookie: %j', async (headers) => {
    const cookie = await logIn();
    const sent = { ...cookie, ...(headers as Record<string, string>) };
    expectProblem(await service.post('/session', login, sent), 403, 'cross-site');
    expectProblem(await service.request('/session', { method: 'DELETE', headers: sent }), 403, 'cross-site');
    expectProblem(await service.post('/jobs', { action: 'status' }, sent), 403, 'cross-site');
    const terminal = new TerminalClient(service.url, '/labs/default/nodes/r1/terminal', sent);
    expect(await terminal.refused()).toMatchObject({ status: 403, json: { code: 'cross-site' } });
    expect((await service.get('/jobs', cookie)).status).toBe(200);
  });

  test('is what a terminal is refused to, and not the cookie', async () => {
    const terminal = new TerminalClient(service.url, '/labs/nobody/nodes/r1/terminal', {
      ...(await logIn()),
      Origin: service.url,
    });
    expect(await terminal.refused()).toMatchObject({ status: 404 });
  });
});
