/** What becomes of sessions when the service is started anew. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService } from '../support/service.ts';
import { logIn, makeTeam, passwords, tokens } from '../support/team.ts';

describe('a restart', () => {
  test('leaves sessions as they are, but for those whose users were changed meanwhile', async () => {
    const ground = makeGround();
    const own = await makeTeam(ground.root);
    const before = await startService({ ground, env: own.env });
    const [ops, ci, vera] = [
      await logIn(before),
      await logIn(before, { token: tokens.ci }),
      await logIn(before, { user: 'vera', password: passwords.vera }),
    ];
    const gone = await logIn(before);
    await before.request('/session', { method: 'DELETE', headers: gone });
    await before.stop();
    const file = path.join(ground.dataDir, 'sessions.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = readFileSync(file, 'utf8');
    const secretIn = (cookie: string): string | undefined => cookie.split(/=ses_[0-9a-f]{16}_/)[1];
    for (const { Cookie } of [ops, ci, vera]) expect(kept).not.toContain(secretIn(Cookie));
    for (const word of ['$scrypt$', '$2', passwords.ops, 'secret-of-ci']) expect(kept).not.toContain(word);
    own.change((users) => users.map((user) => (user.name === 'vera' ? { ...user, role: 'operator' } : user)));
    const after = await startService({ ground, env: own.env });
    expect((await after.get('/session', ops)).json).toMatchObject({ user: 'ops', loggedInBy: 'session' });
    expect((await after.get('/session', ci)).json).toMatchObject({ user: 'ci' });
    expectProblem(await after.get('/session', vera), 401, 'unauthorized');
    expectProblem(await after.get('/session', gone), 401, 'unauthorized');
  });

  test('with another LAB_API_PASSWORD ends its sessions', async () => {
    const ground = makeGround();
    const env = { LAB_API_USER: 'ann', LAB_API_PASSWORD: 'first' };
    const before = await startService({ ground, env });
    const cookie = await logIn(before, { user: 'ann', password: 'first' });
    await before.stop();
    const again = await startService({ ground, env });
    expect((await again.get('/jobs', cookie)).status).toBe(200);
    await again.stop();
    const after = await startService({ ground, env: { ...env, LAB_API_PASSWORD: 'second' } });
    expectProblem(await after.get('/jobs', cookie), 401, 'unauthorized');
  });
});
