/** What a page of another site can do with the cookie of a session: nothing. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';
import { login, logIn, makeTeam } from '../support/team.ts';
import { TerminalClient } from '../support/terminal-client.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService({ env: (await makeTeam(makeGround().root)).env });
});

describe('a page of another site', () => {
  test.each([
    { Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ])('can neither log in, nor out, nor do anything with the cookie: %j', async (headers) => {
    const cookie = await logIn(service);
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
      ...(await logIn(service)),
      Origin: service.url,
    });
    expect(await terminal.refused()).toMatchObject({ status: 404 });
  });
});
