/** A client of `netlab api` works unchanged: with a fake lab CLI, with the real netlab, and with real containers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.ts';
import { takeLabServer } from '../support/lab-server.ts';
import { NetlabApiClient } from '../support/netlab-client.ts';
import { missingForContainerLabs, requirement } from '../support/requirements.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const run = promisify(execFile);
const repository = path.resolve(__dirname, '../..');
const example = path.join(repository, 'examples/ospf/topology.yml');

/** Fields that clients send along and `netlab api` does not read. */
const further = {
  user: 'alice',
  deploymentId: 17,
  environment: { KEY: 'value' },
  template: null,
  topologyUrl: '',
};

const netlab = requirement('netlab');
const labMissing = missingForContainerLabs();
const becauseLab = labMissing === undefined ? '' : ` (skipped: ${labMissing})`;
const withLab = labMissing === undefined ? test : test.skip;

const jobFields = [
  'id',
  'action',
  'state',
  'createdAt',
  'startedAt',
  'finishedAt',
  'error',
  'workdir',
  'logPath',
];

describe('with a fake lab CLI', () => {
  let service: RunningService;
  let client: NetlabApiClient;
  beforeAll(async () => {
    service = await startService();
    client = new NetlabApiClient(service);
  });

  test('up, status, collect, down in a workspace with netlab/topology.yml', async () => {
    const workspaceRoot = service.ground.makeWorkdir('round');
    mkdirSync(path.join(workspaceRoot, 'netlab'));
    copyFileSync(example, path.join(workspaceRoot, 'netlab/topology.yml'));
    const up = await client.run({ action: 'up', workspaceRoot, ...further });
    expect(up.job).toMatchObject({ action: 'up', state: 'success', error: null, workdir: workspaceRoot });
    expect(Object.keys(up.job)).toEqual(expect.arrayContaining(jobFields));
    expect(up.log).toContain('Lab is ready\n');
    expect(readFileSync(up.job.logPath, 'utf8')).toBe(up.log);

    expect((await service.get('/status')).json.default).toMatchObject({
      dir: workspaceRoot,
      status: 'started',
    });
    expect(Object.keys((await service.get('/status/default')).json.nodes)).toHaveLength(4);
    const status = await client.run({ action: 'status', workspaceRoot });
    expect(status).toMatchObject({ job: { state: 'success' }, log: expect.stringContaining('default') });

    const collected = { collectOutput: 'saved', collectTar: 'saved.tar', collectCleanup: false };
    expect((await client.run({ action: 'collect', workspaceRoot, ...collected })).job.state).toBe('success');
    expect(readdirSync(workspaceRoot)).toEqual(expect.arrayContaining(['saved', 'saved.tar']));
    expect((await client.run({ action: 'down', workspaceRoot, cleanup: true })).job.state).toBe('success');
    expect((await service.get('/status')).json).toEqual({ warning: 'No netlab-managed labs' });
    for (const state of client.states) expect(['queued', 'running', 'success']).toContain(state);
  });

  test('a relative workdir and a relative topologyPath', async () => {
    const absolute = service.ground.makeWorkdir('relative');
    copyFileSync(example, path.join(absolute, 'my.yml'));
    const workdir = path.relative(process.cwd(), absolute);
    const { job } = await client.run({ action: 'create', workdir, topologyPath: './my.yml', ...further });
    expect(job).toMatchObject({ state: 'success', workdir: absolute });
  });

  test('an instance as a number, for multilab', async () => {
    const workdir = service.ground.makeWorkdir('multilab');
    const up = { action: 'up', workdir, topology: topologyThat(), multilabId: 7, plugin: ['multilab'] };
    expect((await client.run(up)).job.state).toBe('success');
    expect((await service.get('/status/7')).json.dir).toBe(workdir);
    expect((await client.run({ action: 'status', instance: 7 })).log).toContain(workdir);
    const collected = await client.run({ action: 'collect', instance: 7, workdir });
    expect(collected.job).toMatchObject({ state: 'success', workdir });
    expect(existsSync(path.join(workdir, 'config/r1.cfg'))).toBe(true);
    expect((await client.run({ action: 'down', workdir, cleanup: true })).job.state).toBe('success');
  });

  test('a job that fails has a sentence in error, and the log is complete', async () => {
    const workdir = service.ground.makeWorkdir('failing');
    const { job, log } = await client.run({ action: 'up', workdir, topology: 'nodes: [nosuch]' });
    expect(job.state).toBe('failed');
    expect(job).toMatchObject({
      error: 'Link string r1-nosuch in links[2] refers to an unknown node nosuch',
      exitCode: 1,
    });
    expect(log).toMatch(/Fatal error in netlab: .*exiting\n$/);
  });

  test('a log that grows is shown piece by piece, nothing twice', async () => {
    const workdir = service.ground.makeWorkdir('growing');
    const topology = topologyThat('for i in 1 2 3 4 5 6 7 8; do echo "line $i \u20ac"; sleep 0.05; done');
    const { log } = await client.run({ action: 'create', workdir, topology });
    expect(log).toMatch(/^(line \d \u20ac\n){8}Created/);
  });

  test('lists, templates, and errors as plain strings', async () => {
    expect((await service.get('/healthz')).json).toEqual({ status: 'ok' });
    const [job] = (await service.get('/jobs')).json.jobs;
    expect(Object.keys(job)).toEqual(expect.arrayContaining(jobFields));
    const { templates } = (await service.get(`/templates?dir=${path.dirname(example)}`)).json;
    expect(templates).toMatchObject([{ name: 'topology.yml', path: 'topology.yml' }]);
    for (const reply of [
      await service.get('/nothing'),
      await service.get('/jobs/nothing'),
      await service.post(`/jobs/${String(job.id)}/cancel`),
      await service.post('/jobs', { action: 'fly' }),
      await service.post('/jobs', '{'),
    ]) {
      expect(typeof reply.json.error).toBe('string');
    }
  });

  test('a cancel of a queued job is 200 with the job', async () => {
    const workdir = service.ground.makeWorkdir('cancel');
    const first = await service.start({ action: 'up', workdir, topology: topologyThat('wait_for go') });
    await service.ground.waitsFor('go');
    const second = await service.start({ action: 'down', workdir });
    const reply = await service.post(`/jobs/${second}/cancel`);
    expect(reply).toMatchObject({ status: 200, json: { id: second, state: 'canceled' } });
    service.ground.let('go');
    await service.ended(first);
  });
});

describe('with the real netlab', () => {
  let giveBack = (): void => undefined;
  beforeAll(async () => {
    if (labMissing === undefined) giveBack = await takeLabServer();
  }, 400_000);
  afterAll(() => giveBack());

  withLab(
    `a lab of real routers, from up to down${becauseLab}`,
    async () => {
      const home = process.env['HOME'] ?? '/root';
      const service = await startService({ env: { LAB_API_CLI: netlab.file, HOME: home } });
      const client = new NetlabApiClient(service);
      const workdir = service.ground.makeWorkdir('real');
      const r1 = '/labs/default/nodes/r1';
      try {
        const up = await client.run({ action: 'up', workdir, topologyPath: example, ...further });
        expect(up).toMatchObject({
          job: { state: 'success' },
          log: expect.stringContaining('Lab devices configured'),
        });
        expect(readdirSync(workdir)).toEqual(
          expect.arrayContaining(['clab.yml', 'hosts.yml', 'ansible.cfg']),
        );
        const { nodes } = (await service.get('/status/default')).json;
        expect(Object.keys(nodes).toSorted()).toEqual(['h1', 'h2', 'r1', 'r2']);
        expect((await service.get('/status/default?output=text')).text).toMatch(/r1/);
        expect((await service.get('/status')).json.default).toMatchObject({
          dir: workdir,
          status: 'started',
        });
        expect((await service.get('/labs/default/topology')).json).toMatchObject({
          nodes: [{ name: 'r1' }, { name: 'r2' }, { name: 'h1' }, { name: 'h2' }],
          links: { length: 3 },
        });

        const neighbors = { command: ['vtysh', '-c', 'show ip ospf neighbor json'] };
        await eventually('r1 and r2 are neighbors', async () =>
          /"Full|"nbrState"/.test((await service.post(`${r1}/exec`, neighbors)).json.output as string),
        );
        const filter = encodeURIComponent('ip proto 89');
        const packets = await service.get(`${r1}/interfaces/eth2/capture?packets=3&filter=${filter}`);
        expect(packets).toMatchObject({
          status: 200,
          headers: { 'content-type': 'application/vnd.tcpdump.pcap' },
        });

        // Its tests are pings, which need the routes of OSPF.
        const { job } = await client.run({ action: 'validate', workdir });
        expect(job).toMatchObject({ state: 'success', result: { passed: 2, failed: 0, complete: true } });
        expect((await service.get(`/jobs/${job.id}/artifacts/junit.xml`)).text).toContain('<testsuite');

        const collect = await client.run({
          action: 'collect',
          workdir,
          instance: 'default',
          collectOutput: 'saved',
        });
        expect(collect.job).toMatchObject({ state: 'success' });
        expect(readFileSync(path.join(workdir, 'saved/r1.cfg'), 'utf8')).toMatch(/router ospf/);

        const down = await client.run({ action: 'down', workdir, cleanup: true });
        expect(down.job).toMatchObject({ state: 'success' });
        expect((await service.get('/status')).json).toEqual({ warning: 'No netlab-managed labs' });
        expect(existsSync(path.join(workdir, 'netlab.lock'))).toBe(false);
        expect((await run('docker', ['ps', '-aq', '--filter', 'name=clab-ospf-'])).stdout).toBe('');
      } finally {
        if (existsSync(path.join(workdir, 'netlab.lock')))
          await client.run({ action: 'down', workdir, cleanup: true });
      }
    },
    400_000,
  );

  // The service is killed again and again during an up and a down; ups are canceled half-way.
  withLab(
    `scripts/milestone.mjs crash goes through${becauseLab}`,
    async () => {
      const env = { ...process.env, PATH: `${path.dirname(netlab.file)}:${process.env['PATH']}` };
      const { stdout } = await run(
        path.join(repository, 'scripts/milestone.mjs'),
        ['crash', '--kills', '1'],
        {
          env,
          maxBuffer: 1e8,
          timeout: 380_000,
        },
      );
      expect(stdout.match(/^\u2713 .*/gm)).toHaveLength(11);
      expect(stdout).toMatch(/The milestone is reached\.\n$/);
    },
    400_000,
  );
});
