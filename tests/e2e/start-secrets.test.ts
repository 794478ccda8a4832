/** What every process of the same user can read of the service: its arguments, and the variables that it was started with. */
import { describe, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { canary, secretsIn, startOf } from '../support/canaries.ts';
import { makeNodeGround } from '../support/node-ground.ts';
import { startProgram } from '../support/service.ts';

const secrets = { password: canary() };
const login = { Authorization: `Basic ${Buffer.from(`ops:${secrets.password}`).toString('base64')}` };

const hideProc = 'mount -t tmpfs none /proc';
const canHide = spawnSync('unshare', ['--mount', 'sh', '-c', hideProc]).status === 0;

describe('what a process was started with', () => {
  test('is found where nobody erases it: so the search sees what there is', async () => {
    const env = { PATH: process.env['PATH'], SECRET: secrets.password };
    const child = spawn('sleep', ['1000'], { env, stdio: 'ignore' });
    await once(child, 'spawn');
    expect(secretsIn(startOf(child.pid ?? 0), secrets)).toEqual(['password']);
    child.kill();
  });

  test.each([
    ['a word of its own', (password: string) => ['--auth-password', password]],
    ['the same word', (password: string) => [`--auth-password=${password}`]],
  ])('does not show a password that was given as an option, in %s', async (_what, args) => {
    const service = await startProgram({
      args: ['--auth-user', 'ops', ...args(secrets.password)],
      client: { headers: login },
    });
    expect((await service.get('/jobs')).status).toBe(200);
    const shown = startOf(service.run.child.pid ?? 0);
    expect(shown).toMatch(/--auth-user\nops\n--auth-password[\n=]\*{38}\n/);
    expect(secretsIn(shown, secrets)).toEqual([]);
  });

  (canHide ? test : test.skip)(
    `cannot be erased without /proc, and the log says so${canHide ? '' : ' (only root can hide it)'}`,
    async () => {
      const service = await startProgram({
        through: ['unshare', '--mount', 'sh', '-c', `${hideProc} && exec "$@"`, 'sh'],
        env: { LAB_API_USER: 'ops', LAB_API_PASSWORD: secrets.password },
        client: { headers: login },
      });
      expect(service.run.output()).toMatch(
        /warn {2}jobs can read these variables of the service in \/proc; use their _FILE forms variables="?LAB_API_USER,LAB_API_PASSWORD"? cause=/,
      );
      expect((await service.get('/jobs')).status).toBe(200);
    },
  );

  test('is not inherited by a command in a node', async () => {
    const { ground, env } = makeNodeGround();
    const service = await startProgram({
      ground,
      env: { ...env, LAB_API_USER: 'ops', LAB_API_PASSWORD: secrets.password },
      client: { headers: login },
    });
    const self = service.run.child.pid;
    const command = ['sh', '-c', `tr '\\0' '\\n' </proc/self/environ; tr '\\0' '\\n' </proc/${self}/environ`];
    const { json } = await service.post('/labs/default/nodes/r1/exec', { command });
    expect(json.output).toMatch(/LAB_API_USER=\*{3}\nLAB_API_PASSWORD=\*{38}\n/);
    expect(secretsIn(String(json.output), secrets)).toEqual([]);
  });
});
