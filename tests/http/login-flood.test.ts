/** Guesses from many addresses, and everybody else meanwhile. How long that takes is up to scripts/bench.mjs login. */
import { expect, test } from '@jest/globals';
import { expectProblem } from '../support/problem.ts';
import { makeGround, startService } from '../support/service.ts';
import { basic, bearer, makeTeam, passwords, tokens } from '../support/team.ts';

const guesses = 600;
const addresses = 60;

test('a flood costs a few hashes, locks no other address out, and keeps nobody waiting behind it', async () => {
  const team = await makeTeam(makeGround().root);
  const service = await startService({ env: team.env });
  const login = await service.post('/session', { user: 'ops', password: passwords.ops });
  const cookie = { Cookie: login.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
  const flood = Array.from({ length: guesses }, async (_, n) =>
    service.request('/jobs', {
      headers: basic(n % 2 === 0 ? 'ops' : `nobody-${n}`, `guess-${n}`),
      from: `127.9.0.${(n % addresses) + 1}`,
    }),
  );
  const others = [
    // Known by its verdict, its token, its session; and a user who has never been here.
    service.get('/jobs', basic('ops', passwords.ops)),
    service.get('/jobs', bearer(tokens.ci)),
    service.get('/jobs', cookie),
    service.request('/jobs', { headers: basic('vera', passwords.vera), from: '127.9.1.1' }),
  ];
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const replies = await Promise.all(flood);
  const refused = replies.filter(({ status }) => status === 429);
  expect(replies.filter(({ status }) => status === 401).length + refused.length).toBe(guesses);
  expect(refused.length).toBeGreaterThan(0);
  for (const reply of refused) {
    expectProblem(reply, 429, 'too-many-attempts');
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  }
});
