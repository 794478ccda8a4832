import { beforeAll, describe, expect, test } from '@jest/globals';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('POST /jobs', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });

  test('has no job, template or file of the data directory, whatever leads there', async () => {
    const { root, dataDir, workdir } = service.ground;
    symlinkSync(dataDir, path.join(workdir, 'link'));
    const owner = path.join(dataDir, 'owner.json');
    for (const place of [dataDir, path.join(dataDir, 'jobs'), root, '/', path.join(workdir, 'link')]) {
      const reply = await service.post('/jobs', { action: 'up', workdir: place, topology: topologyThat() });
      expectProblem(reply, 403, 'forbidden-path');
      expect(wrongFields(reply)).toEqual(['workdir']);
      expect(reply.json.detail).toMatch(
        /the data directory of the server; use another directory, or a workspace/,
      );
    }
    for (const [field, value] of [
      ['topologyPath', owner],
      ['topologyPath', 'link/owner.json'],
    ])
      expect(wrongFields(await service.post('/jobs', { action: 'up', workdir, [field!]: value }))).toEqual([
        field,
      ]);
    expectProblem(await service.get(`/templates?dir=${encodeURIComponent(dataDir)}`), 403, 'forbidden-path');
  });

  test('answers 202 with the job and its place', async () => {
    const { workdir } = service.ground;
    const body = {
      action: ' Create ',
      workdir,
      topology: topologyThat(),
      labels: { team: 'core' },
      extra: 1,
      cleanup: true,
    };
    const reply = await service.post('/jobs', body);
    expect(reply.status).toBe(202);
    const { json: job } = reply;
    expect(reply.headers.location).toBe(`/jobs/${job.id}`);
    expect(job).toMatchObject({
      id: expect.stringMatching(/^job-\d{13}-[0-9a-f]{6}$/),
      action: 'create',
      createdAt: expect.stringMatching(time),
      finishedAt: null,
      error: null,
      workdir,
      reason: null,
      exitCode: null,
      labels: { team: 'core' },
      requestedBy: null,
    });
    expect(job.warnings).toEqual([
      'unknown field "extra" ignored',
      expect.stringMatching(/"cleanup" is ignored.*"down"/),
    ]);
    const ended = await service.ended(job.id);
    expect(ended).toMatchObject({
      state: 'success',
      reason: 'exited',
      exitCode: 0,
      signal: null,
      error: null,
    });
    expect(ended.startedAt).toMatch(time);
    expect(ended.finishedAt).toMatch(time);
    expect(await service.job(job.id)).toEqual(ended);
  });

  test('a failure has the exit code and the sentence of the lab CLI', async () => {
    const workdir = service.ground.makeWorkdir('failing');
    const id = await service.start({ action: 'up', workdir, topology: 'nodes: [r1]\nlinks: [r1-nosuch]' });
    const job = await service.ended(id);
    expect(job).toMatchObject({ state: 'failed', reason: 'exited', exitCode: 1 });
    expect(job.error).toMatch(/^Link string .*unknown node nosuch/);
  });

  test('a value reaches the lab CLI as one argument, whatever it looks like', async () => {
    const workdir = service.ground.makeWorkdir('arguments');
    const device = '$(touch pwned); `id` "quoted" \'single\' *\n new line';
    const id = await service.start({ action: 'create', workdir, device, topology: topologyThat() });
    const { command } = await service.ended(id);
    expect(command.slice(3)).toEqual(
      ['--device', device, '--set', 'name=arguments'].slice(0, command.length - 3),
    );
    expect(command).toContain(device);
    expect(service.ground.runs(`create`).join('\n')).toContain('$(touch pwned)');
  });

  interface Refusal {
    readonly name: string;
    readonly status: number;
    readonly code: string;
    readonly fields: Record<string, unknown>;
    /** The fields that the answer names as wrong. */
    readonly named: string[];
  }

  const invalid = (...named: string[]) => ({ status: 400, code: 'invalid-request', named });
  const notFound = (what: string) => ({ status: 404, code: `${what}-not-found`, named: [] });

  test.each<Refusal>([
    { name: 'a directory that is missing', ...notFound('workdir'), fields: { workdir: '/no/such/place' } },
    { name: 'a file for a directory', ...notFound('workdir'), fields: { workdir: __filename } },
    {
      name: 'a topology that is missing',
      ...notFound('topology'),
      fields: { action: 'up', topologyPath: 'none.yml' },
    },
    {
      name: 'no topology at all',
      ...invalid('topologyUrl', 'topology', 'topologyPath'),
      fields: { action: 'up' },
    },
    {
      name: 'a topology that is no YAML',
      ...invalid('topology'),
      fields: { action: 'up', topology: 'a: [' },
    },
    {
      name: 'a URL that is none',
      ...invalid('topologyUrl'),
      fields: { action: 'up', topologyUrl: 'file:///etc/passwd' },
    },
    {
      name: 'a URL to this machine',
      status: 403,
      code: 'forbidden-host',
      fields: { action: 'up', topologyUrl: 'http://127.0.0.1/x' },
      named: ['topologyUrl'],
    },
    { name: 'an option for a value', ...invalid('device'), fields: { action: 'create', device: '--help' } },
    {
      name: 'an output outside',
      ...invalid('collectOutput'),
      fields: { action: 'collect', collectOutput: '../out' },
    },
    {
      name: 'an action that the lab CLI does not have',
      status: 422,
      code: 'not-supported',
      fields: { action: 'start-nodes', nodes: ['r1'] },
      named: [],
    },
    {
      name: 'a directory outside of the workspace',
      ...invalid('workdir'),
      fields: { action: 'up', workspace: 'elsewhere', topology: 'nodes: [a]' },
    },
    { name: 'too long a time', ...invalid('timeoutSeconds'), fields: { timeoutSeconds: 1e9 } },
    {
      name: 'an instance that is unknown',
      ...notFound('instance'),
      fields: { action: 'collect', instance: 'x', workdir: null },
    },
    {
      name: 'an instance that is unknown, with a directory',
      ...notFound('instance'),
      fields: { action: 'collect', instance: 'x' },
    },
    {
      name: 'an instance to stop that is unknown',
      ...notFound('instance'),
      fields: { action: 'down', instance: 'x' },
    },
  ])('$name is $status $code, and nothing is queued', async ({ status, code, fields, named }) => {
    const workdir = service.ground.makeWorkdir(`bad-${Math.random()}`);
    const count = (await service.get('/jobs?limit=500')).json.jobs.length;
    const reply = await service.post('/jobs', { action: 'status', workdir, ...fields });
    expectProblem(reply, status, code);
    if (named.length > 0) expect(wrongFields(reply)).toEqual(named);
    expect((await service.get('/jobs?limit=500')).json.jobs).toHaveLength(count);
  });

  test('a topology that cannot be downloaded is 502', async () => {
    const downloads = await startService({ env: { LAB_API_TOPOLOGY_HOSTS: '127.0.0.1' } });
    const { workdir } = downloads.ground;
    const port = new URL(downloads.url).port;
    for (const topologyUrl of [`http://127.0.0.1:${port}/nothing`, 'http://127.0.0.1:1/x']) {
      expectProblem(
        await downloads.post('/jobs', { action: 'up', workdir, topologyUrl }),
        502,
        'topology-download-failed',
      );
    }
  });
});

test('a busy directory has the next job wait, or be refused with onConflict reject; a full queue is 429', async () => {
  const service = await startService({ env: { LAB_API_MAX_QUEUED_JOBS: '1' } });
  const { workdir, ...ground } = service.ground;
  const first = await service.start({ action: 'up', workdir, topology: topologyThat('wait_for go') });
  await ground.waitsFor('go');
  const refused = await service.post('/jobs', { action: 'down', workdir, onConflict: 'reject' });
  expectProblem(refused, 409, 'workdir-busy');
  expect(refused.json.conflictingJobId).toBe(first);
  expect(refused.headers['retry-after']).toMatch(/^\d+$/);
  const second = await service.start({ action: 'down', workdir });
  const waiting = { state: 'queued', queuePosition: 1, startedAt: null, logSize: 0 };
  expect(await service.job(second)).toMatchObject(waiting);
  const full = await service.post('/jobs', { action: 'down', workdir });
  expectProblem(full, 429, 'queue-full');
  expect(full.headers['retry-after']).toMatch(/^\d+$/);
  ground.let('go');
  expect((await service.ended(first)).state).toBe('success');
  expect((await service.ended(second)).state).toBe('success');
});
