/** Several lab CLIs in one service: netlab, and containerlab, which tells of the labs of netlab as well. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dockerAt } from '../support/containerlab-recorded.ts';
import { eventually } from '../support/eventually.ts';
import { fixtureProgram } from '../support/programs.ts';
import {
  makeGround,
  startService,
  topologyThat,
  type Ground,
  type RunningService,
} from '../support/service.ts';

const clis = [fixtureProgram('fake-netlab'), fixtureProgram('fake-clab/containerlab')];
const both = { LAB_API_CLI: undefined, LAB_API_CLIS: clis.join(','), FAKE_LAB_LOGS: '1' };
const fresh = { 'Cache-Control': 'no-cache' };

let ground: Ground;
let service: RunningService;
/** A lab of netlab, which netlab runs by containerlab; and one of containerlab. */
let [ofNetlab, ofContainerlab] = ['', ''];

beforeEach(async () => {
  ground = makeGround();
  const DOCKER_HOST = `unix://${path.join(ground.root, 'docker.sock')}`;
  service = await startService({ ground, env: { ...both, DOCKER_HOST } });
  ofNetlab = ground.makeWorkdir('of-netlab');
  ofContainerlab = ground.makeWorkdir('of-containerlab');
  writeFileSync(
    path.join(ofNetlab, 'topology.yml'),
    topologyThat(': >netlab.snapshot.pickle', 'echo x >clab.yml'),
  );
  writeFileSync(path.join(ofContainerlab, 'one.clab.yml'), 'name: one\ntopology: { nodes: { h1: {} } }\n');
});
afterEach(async () => service.stop());

async function run(body: Readonly<Record<string, unknown>>) {
  return service.ended(await service.start(body));
}

async function startBoth(): Promise<void> {
  expect(await run({ action: 'up', workdir: ofNetlab })).toMatchObject({ state: 'success', cli: 'netlab' });
  expect(await run({ action: 'up', cli: 'containerlab', workdir: ofContainerlab })).toMatchObject({
    state: 'success',
    cli: 'containerlab',
    instance: 'one',
  });
}

async function labs(query = ''): Promise<readonly string[]> {
  const { json } = await service.get(`/labs${query}`, fresh);
  return (json.labs as { id: string; cli: string }[]).map(({ id, cli }) => `${cli}: ${id}`);
}

test('the service tells which lab CLIs it has', async () => {
  const { json } = await service.get('/');
  expect(json.labCli).toMatchObject({ name: 'netlab' });
  expect(json.labClis).toMatchObject([
    { name: 'netlab', version: '26.10', isInstalled: true },
    {
      name: 'containerlab',
      version: '0.79.0',
      isInstalled: true,
      otherOptions: { up: expect.arrayContaining(['device']) },
    },
  ]);
});

test('the service is ready when Docker answers, which containerlab needs', async () => {
  const socket = path.join(ground.root, 'docker.sock');
  const { status, json } = await service.get('/readyz');
  expect(status).toBe(503);
  const detail = `containerlab cannot start labs: Docker does not answer at ${socket}: ENOENT`;
  expect(json.checks).toContainEqual({ name: 'lab-cli', ok: false, detail });
  const docker = dockerAt(socket);
  const ready = await eventually('the service is ready', async () => {
    const reply = await service.get('/readyz');
    return reply.status === 200 ? reply.json : undefined;
  });
  docker.close();
  expect(ready.checks).toContainEqual({ name: 'lab-cli', ok: true, detail: clis.join(', ') });
});

describe('labs', () => {
  test('are each shown once, by the lab CLI that has them on record', async () => {
    await startBoth();
    expect(await labs()).toEqual(['netlab: default', 'containerlab: one']);
    expect(await labs('?cli=netlab')).toEqual(['netlab: default']);
    expect(await labs('?cli=containerlab')).toEqual(['containerlab: one']);
    expect(await service.get('/labs?cli=engine')).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining('use one of "netlab", "containerlab"') },
    });
  });

  test('of netlab that netlab has forgotten are shown by containerlab', async () => {
    await startBoth();
    // Its lock and its files are there, and the lab is in its list no more.
    rmSync(path.join(ground.env['FAKE_LAB_STATE'] ?? '', 'instances', 'default'));
    writeFileSync(path.join(ground.env['HOME'] ?? '', '.netlab', 'status.yaml'), '{}\n');
    expect(await labs()).toEqual(['containerlab: one']);
  });

  test('are asked of the lab CLI that has them', async () => {
    await startBoth();
    expect((await service.get('/labs/one')).json).toMatchObject({ id: 'one', cli: 'containerlab' });
    expect((await service.get('/labs/default')).json).toMatchObject({ id: 'default', cli: 'netlab' });
    expect((await service.get('/labs/one/topology')).json).toMatchObject({ nodes: [{ name: 'h1' }] });
    expect((await service.get('/status/one')).text).toContain('clab-topo-file');
    expect((await service.get('/status')).json).toHaveProperty('default');
    expect((await service.get('/status?cli=containerlab')).json).toHaveProperty('one');
    expect(await service.get('/labs/one?cli=netlab')).toMatchObject({ status: 404 });
  });

  test('of one id are told apart by "cli"; without it, that of the first is meant', async () => {
    writeFileSync(
      path.join(ofContainerlab, 'one.clab.yml'),
      'name: default\ntopology: { nodes: { h1: {} } }\n',
    );
    await startBoth().catch(() => undefined);
    expect(await labs()).toEqual(['netlab: default', 'containerlab: default']);
    expect((await service.get('/labs/default')).json).toMatchObject({ cli: 'netlab', workdir: ofNetlab });
    expect((await service.get('/labs/default?cli=containerlab')).json).toMatchObject({
      workdir: ofContainerlab,
    });
    expect(await run({ action: 'down', instance: 'default', cli: 'containerlab' })).toMatchObject({
      state: 'success',
      workdir: ofContainerlab,
    });
    expect(await labs()).toEqual(['netlab: default']);
  });
});

describe('a job', () => {
  test('down of a lab by the wrong one is refused with the right one', async () => {
    await startBoth();
    const ofOtherCli =
      /started by netlab, which calls it "default": send "cli": "netlab" and "instance": "default"/;
    for (const [body, words] of [
      [
        { workdir: ofNetlab, cli: 'containerlab' },
        /the lab "default" in .*of-netlab is one of netlab.*send "cli": "netlab"/,
      ],
      [{ instance: 'default', cli: 'containerlab' }, /is one of netlab.*send "cli": "netlab"/],
      [{ instance: 'ml-default', cli: 'containerlab' }, ofOtherCli],
      [{ instance: 'ml-default' }, ofOtherCli],
      [
        { workdir: ofContainerlab, cli: 'netlab' },
        /the lab "one" in .*of-containerlab is one of containerlab.*send "cli": "containerlab"/,
      ],
      [{ instance: 'one', cli: 'netlab' }, /is one of containerlab/],
    ] as const)
      expect(await service.post('/jobs', { action: 'down', ...body })).toMatchObject({
        status: 409,
        json: { code: 'conflict', error: expect.stringMatching(words) },
      });
  });

  test('starts no second lab in a directory', async () => {
    await startBoth();
    for (const [cli, workdir] of [
      ['containerlab', ofNetlab],
      ['netlab', ofContainerlab],
    ])
      expect(await service.post('/jobs', { action: 'up', cli, workdir })).toMatchObject({
        status: 409,
        json: { error: expect.stringContaining('a directory has one lab at a time') },
      });
  });

  test('takes the place of a lab of another lab CLI, and of another name', async () => {
    await startBoth();
    for (const name of ['two', 'three'])
      writeFileSync(
        path.join(ofNetlab, `${name}.clab.yml`),
        `name: ${name}\ntopology: { nodes: { h1: {} } }\n`,
      );
    const replace = { action: 'up', cli: 'containerlab', workdir: ofNetlab, replace: true };
    for (const name of ['two', 'three']) {
      expect(await run({ ...replace, topologyPath: `${name}.clab.yml` })).toMatchObject({ state: 'success' });
      expect((await labs()).toSorted()).toEqual(['containerlab: one', `containerlab: ${name}`]);
    }
    const { json } = await service.get('/jobs?action=down');
    expect((json.jobs as { cli: string; state: string }[]).map(({ cli, state }) => [cli, state])).toEqual([
      ['containerlab', 'success'],
      ['netlab', 'success'],
    ]);
  });

  test('takes the options of its own lab CLI', async () => {
    const asked = { action: 'up', workdir: ofContainerlab, cli: 'containerlab', device: 'frr' };
    const reply = await service.post('/jobs', asked);
    expect(reply).toMatchObject({ status: 400, json: { errors: [{ field: 'device' }] } });
    expect(reply.json.error).toContain('this job is for "containerlab" ("cli")');
  });

  test('of up that left no node is undone by the remedy in its error, also with a topology of its own', async () => {
    const fails = 'name: gone\n# run: rm -r "$labs/$name" "$CLAB_LABDIR_BASE/clab-$name"; exit 1\n';
    const up = { action: 'up', cli: 'containerlab', workdir: ofContainerlab, topology: fails };
    const failed = await run(up);
    expect(failed).toMatchObject({ state: 'failed', mayHaveLeftLab: true });
    expect(failed.error).toContain('run "down" with "cleanup" in this directory');
    const downs = [
      { action: 'down', cleanup: true, workdir: ofContainerlab },
      { action: 'down', cleanup: true, instance: 'gone' },
    ];
    for (const down of downs)
      expect(await run(down)).toMatchObject({ state: 'success', cli: 'containerlab', instance: 'gone' });
    const { cleanupJobId } = await run({ ...up, onFailure: 'down' });
    expect(await service.ended(String(cleanupJobId))).toMatchObject({ state: 'success', instance: 'gone' });
  });

  test('that is canceled is cleaned up by its own lab CLI', async () => {
    const gate = [
      'wait_for() { until [ -e "$FAKE_LAB_STATE/$1" ]; do sleep 0.05; done; }',
      ': >"$FAKE_LAB_STATE/waits-for-up"',
      'wait_for up',
    ];
    const topology = `name: two\n${gate.map((line) => `# run: ${line}\n`).join('')}topology: { nodes: { h1: {} } }\n`;
    const id = await service.start({
      action: 'up',
      cli: 'containerlab',
      workdir: ofContainerlab,
      topology,
      onCancel: 'down',
    });
    await ground.waitsFor('up');
    await service.post(`/jobs/${id}/cancel`);
    const { cleanupJobId } = await service.ended(id);
    expect(await service.ended(String(cleanupJobId))).toMatchObject({
      cli: 'containerlab',
      state: 'success',
    });
    expect(await labs()).toEqual([]);
  });
});

test('a workspace with a lab of any of them is in use', async () => {
  const topology = 'name: ws\ntopology: { nodes: { h1: {} } }\n';
  await run({ action: 'up', cli: 'containerlab', workspace: 'course', topology });
  // Null while it is unknown: the service waits for a slow containerlab for a few seconds only.
  await eventually(
    'the lab is known',
    async () => (await service.get('/workspaces/course')).json.lab === 'ws',
  );
  expect(await service.request('/workspaces/course', { method: 'DELETE' })).toMatchObject({
    status: 409,
    json: { code: 'workspace-busy' },
  });
});
