/** Cancel where there is no `/proc`, as on macOS: by the process group, and by `tree-kill` where there is `ps`. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../support/eventually.ts';
import { Client } from '../support/client.ts';
import { builtProgram, makeGround, processesOf, topologyThat } from '../support/service.ts';

const hideProc = 'mount -t tmpfs none /proc';
const hidePs = 'for ps in /bin/ps /usr/bin/ps; do [ ! -e $ps ] || mount --bind /dev/null $ps; done';
const canHide = spawnSync('unshare', ['--mount', 'sh', '-c', hideProc]).status === 0;
const services: ChildProcess[] = [];

// Before the end of all tests, when `makeGround` kills whatever is left.
afterEach(async () => {
  for (const service of services.splice(0)) {
    // One that has ended by itself is a failure to be told of, not to be waited for.
    expect([service.exitCode, service.signalCode]).toEqual([null, null]);
    const exit = once(service, 'exit');
    service.kill('SIGKILL');
    await exit;
  }
}, 180_000);

/** The built service in a mount namespace of its own, prepared by these commands. */
async function startHidden(...commands: readonly string[]) {
  const ground = makeGround();
  const script = [...commands, 'exec "$@"'].join(' && ');
  const command = ['--mount', 'sh', '-c', script, 'sh', process.execPath, builtProgram, 'api'];
  const env = { ...ground.env, LAB_API_LOG_LEVEL: 'info', LAB_API_LOG_FORMAT: 'text' };
  const service = spawn('unshare', command, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  services.push(service);
  let output = '';
  service.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const url = await eventually(
    `the service listens; it said ${output}`,
    () => /listening url=(\S+)/.exec(output)?.[1],
  );
  return { ground, client: new Client(url) };
}

(canHide ? describe : describe.skip)(
  `without /proc${canHide ? '' : ' (only root can hide it with unshare and mount)'}`,
  () => {
    test.each([
      ['no ps', [hideProc, hidePs]],
      ['a ps that finds nothing', [hideProc]],
    ])('%s: every process of the group is ended', async (_name, commands) => {
      const { ground, client } = await startHidden(...commands);
      const run = ['trap "" INT TERM', 'sleep 1000 &', '(sleep 1000 &)', 'wait_for never'];
      const id = await client.start({
        action: 'create',
        workdir: ground.workdir,
        topology: topologyThat(...run),
      });
      await ground.waitsFor('never');
      expect((await processesOf(id)).length).toBeGreaterThan(3);
      await client.post(`/jobs/${id}/cancel`);
      expect(await client.ended(id)).toMatchObject({ state: 'canceled', signal: 'SIGKILL', leftovers: [] });
      await eventually('the processes to be gone', async () => (await processesOf(id)).length === 0);
      expect(
        await client.ended(
          await client.start({ action: 'create', workdir: ground.workdir, topology: topologyThat('exit 4') }),
        ),
      ).toMatchObject({ state: 'failed', exitCode: 4 });
    });
  },
);
