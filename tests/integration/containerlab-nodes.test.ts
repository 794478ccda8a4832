/** Single nodes of a lab of the real containerlab: stopped, started, and what becomes of their links. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  containerlab,
  docker,
  dockerApi,
  environment,
  images,
  runJob,
  uniqueLab,
} from '../support/containerlab.ts';
import { eventually } from '../support/eventually.ts';
import { processesOf, startProgram, type RunningProgram } from '../support/service.ts';

const { because, missing } = containerlab;
const it = missing === undefined ? test : test.skip;

const lab = uniqueLab('nodes');
/** They end when they are told to, `stubborn` only once the file `/tmp/go` is there in it. */
const program = (condition: string): string =>
  `python3 -c "import os, signal; signal.signal(15, lambda *_: ${condition} and os._exit(0)); [signal.pause() for _ in iter(int, 1)]"`;
const topology = {
  name: lab,
  topology: {
    kinds: { linux: { image: images.host } },
    nodes: {
      patient: { kind: 'linux', cmd: program('True'), exec: ['ip addr add 10.0.0.1/24 dev eth1'] },
      stubborn: {
        kind: 'linux',
        cmd: program("os.path.exists('/tmp/go')"),
        exec: ['ip addr add 10.0.0.2/24 dev eth1'],
      },
    },
    links: [{ endpoints: ['patient:eth1', 'stubborn:eth1'] }],
  },
};

/** containerlab has nodes of this kind killed at once, which Docker understands since 23; an older one tells them to end, and waits. */
const killsAtOnce = missing ?? (dockerApi >= 42 ? 'this Docker kills such nodes at once' : undefined);
const whereItWaits = killsAtOnce === undefined ? test : test.skip;

let service: RunningProgram;
let workdir = '';

beforeAll(async () => {
  if (missing !== undefined) return;
  service = await startProgram({ env: environment });
  workdir = service.ground.makeWorkdir('nodes');
  const { job } = await runJob(service, { action: 'up', workdir, topology });
  if (job.state !== 'success') throw new Error(String(job.error));
}, 60_000);

const run = async (action: string, nodes: readonly string[], more: object = {}) =>
  runJob(service, { action, workdir, nodes, nodeWaitSeconds: 20, ...more });

const container = (node: string): string => `clab-${lab}-${node}`;

async function statesOf(): Promise<Record<string, string>> {
  const { json } = await service.get(`/labs/${lab}`, { 'Cache-Control': 'no-cache' });
  const nodes = json.nodes.map(({ name, state }: { name: string; state: string }) => [name, state]);
  return { lab: json.state, ...(Object.fromEntries(nodes) as Record<string, string>) };
}

const isRunning = async (node: string): Promise<boolean> =>
  (await docker('inspect', '--format', '{{.State.Running}}', container(node))).trim() === 'true';

const ping = async (): Promise<unknown> =>
  eventually('patient reaches stubborn', async () => {
    const command = ['ping', '-c1', '-W1', '10.0.0.2'];
    const { json } = await service.post(`/labs/${lab}/nodes/patient/exec`, { command });
    return json.exitCode === 0;
  });

describe('a node', () => {
  it(`is stopped, and its neighbour is not${because}`, async () => {
    await ping();
    const { job } = await run('stop-nodes', ['patient']);
    expect(job).toMatchObject({ state: 'success', exitCode: 0, error: null, instance: lab });
    expect(await isRunning('patient')).toBe(false);
    expect(await statesOf()).toEqual({ lab: 'started', patient: 'down', stubborn: 'up' });
    expect((await run('stop-nodes', ['patient'])).job.state).toBe('success');
  });

  it(`is started, and has its link and its address again${because}`, async () => {
    const { job, log } = await run('start-nodes', ['patient']);
    expect(job).toMatchObject({ state: 'success', error: null });
    expect(log).toContain('Restored link');
    expect(await statesOf()).toEqual({ lab: 'started', patient: 'up', stubborn: 'up' });
    await ping();
  });

  it(`is restarted, and has both${because}`, async () => {
    const { job } = await run('restart-nodes', ['patient']);
    expect(job).toMatchObject({ state: 'success', error: null });
    await ping();
  });

  it(`that the lab does not have is refused, with those that it has${because}`, async () => {
    const { status, json } = await service.post('/jobs', { action: 'stop-nodes', workdir, nodes: ['h9'] });
    expect(status).toBe(400);
    expect(json.errors).toMatchObject([
      { field: 'nodes', message: expect.stringContaining('it has patient, stubborn') },
    ]);
    for (const nodes of [undefined, [], ['a b'], ['*', 'patient']])
      expect(await service.post('/jobs', { action: 'stop-nodes', workdir, nodes })).toMatchObject({
        status: 400,
        json: { code: 'invalid-request' },
      });
  });
});

describe('a stop that is canceled', () => {
  whereItWaits(
    `leaves a node without its links, and says so; restart-nodes gives them back${killsAtOnce === undefined ? '' : ` (skipped: ${killsAtOnce})`}`,
    async () => {
      const id = await service.start({
        action: 'stop-nodes',
        workdir,
        nodes: ['stubborn'],
        nodeWaitSeconds: 3000,
      });
      await eventually('its link is put aside', async () => {
        const { exitCode } = (
          await service.post(`/labs/${lab}/nodes/stubborn/exec`, { command: ['ip', 'link', 'show', 'eth1'] })
        ).json;
        return exitCode !== 0;
      });
      await service.post(`/jobs/${id}/cancel`);
      const job = await service.ended(id);
      expect(job).toMatchObject({ state: 'canceled', leftovers: [] });
      expect(job.error).toContain('or run without its links: run "restart-nodes" for it');
      expect(await processesOf(id)).toEqual([]);
      expect(await statesOf()).toEqual({ lab: 'started', patient: 'up', stubborn: 'up' });

      // containerlab leaves a node alone that runs, and ends with 0.
      const started = (await run('start-nodes', ['stubborn'])).job;
      expect(started).toMatchObject({ state: 'failed', exitCode: 0 });
      expect(started.error).toContain('run without links of theirs: stubborn (eth1)');
      await docker('exec', container('stubborn'), 'touch', '/tmp/go');
      expect((await run('restart-nodes', ['stubborn'])).job.state).toBe('success');
      await ping();
    },
  );
});

describe('all nodes', () => {
  it(`are stopped, and the lab is there: up starts them again${because}`, async () => {
    expect((await run('stop-nodes', ['*'])).job.state).toBe('success');
    expect(await statesOf()).toEqual({ lab: 'started', patient: 'down', stubborn: 'down' });
    expect((await run('start-nodes', ['*'])).job.state).toBe('success');
    await ping();
    expect((await run('stop-nodes', ['*'])).job.state).toBe('success');
    expect((await runJob(service, { action: 'up', workdir, topology })).job.state).toBe('success');
    await ping();
  });
});

describe('a node that was stopped by something else', () => {
  it(`has lost its link: start-nodes does not call that a success, and up with reconfigure helps${because}`, async () => {
    await docker('kill', container('patient'));
    const { job } = await run('start-nodes', ['patient']);
    expect(job).toMatchObject({ state: 'failed', exitCode: 0 });
    expect(job.error).toContain('patient (eth1); where "restart-nodes" does not bring them back');
    const up = { action: 'up', workdir, topology, reconfigure: true };
    expect((await runJob(service, up)).job.state).toBe('success');
    await ping();
  });
});
