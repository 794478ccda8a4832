import { beforeAll, describe, expect, test } from '@jest/globals';
import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('POST /jobs', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
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
    expect(job.error).toMatch(
      /^fake-netlab up failed with exit code 1: IncorrectValue in links: .*unknown node nosuch/,
    );
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

  test.each<[string, number, string, Record<string, unknown>, string[]]>([
    ['a directory that is missing', 404, 'workdir-not-found', { workdir: '/no/such/place' }, []],
    ['a file for a directory', 404, 'workdir-not-found', { workdir: __filename }, []],
    ['a topology that is missing', 404, 'topology-not-found', { action: 'up', topologyPath: 'none.yml' }, []],
    [
      'no topology at all',
      400,
      'invalid-request',
      { action: 'up' },
      ['topologyUrl', 'topology', 'topologyPath'],
    ],
    ['a topology that is no YAML', 400, 'invalid-request', { action: 'up', topology: 'a: [' }, ['topology']],
    [
      'a URL that is none',
      400,
      'invalid-request',
      { action: 'up', topologyUrl: 'file:///etc/passwd' },
      ['topologyUrl'],
    ],
    [
      'a URL to this machine',
      403,
      'forbidden-host',
      { action: 'up', topologyUrl: 'http://127.0.0.1/x' },
      ['topologyUrl'],
    ],
    ['an option for a value', 400, 'invalid-request', { action: 'create', device: '--help' }, ['device']],
    [
      'an output outside',
      400,
      'invalid-request',
      { action: 'collect', collectOutput: '../out' },
      ['collectOutput'],
    ],
    ['too long a time', 400, 'invalid-request', { timeoutSeconds: 1e9 }, ['timeoutSeconds']],
    [
      'an instance that is unknown',
      404,
      'instance-not-found',
      { action: 'collect', instance: 'x', workdir: null },
      [],
    ],
    [
      'an instance that is unknown, with a directory',
      404,
      'instance-not-found',
      { action: 'collect', instance: 'x' },
      [],
    ],
    ['an instance to stop that is unknown', 404, 'instance-not-found', { action: 'down', instance: 'x' }, []],
  ])('%s is %i %s, and nothing is queued', async (...[, status, code, fields, named]) => {
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

describe('order and limits', () => {
  test('a busy directory: the next job waits, or is refused with onConflict reject', async () => {
    const service = await startService();
    const { workdir, ...ground } = service.ground;
    const first = await service.start({ action: 'up', workdir, topology: topologyThat('wait_for go') });
    await ground.waitsFor('go');
    const second = await service.start({ action: 'down', workdir });
    expect(await service.job(second)).toMatchObject({
      state: 'queued',
      queuePosition: 1,
      startedAt: null,
      logSize: 0,
    });
    const refused = await service.post('/jobs', { action: 'down', workdir, onConflict: 'reject' });
    expectProblem(refused, 409, 'workdir-busy');
    expect(refused.json.conflictingJobId).toBe(first);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    // A status takes no lock.
    expect((await service.ended(await service.start({ action: 'status', workdir }))).state).toBe('failed');
    ground.let('go');
    expect((await service.ended(first)).state).toBe('success');
    expect((await service.ended(second)).state).toBe('success');
  });

  test('a full queue is 429', async () => {
    const service = await startService({ env: { LAB_API_MAX_QUEUED_JOBS: '1' } });
    const { workdir, ...ground } = service.ground;
    const body = { action: 'up', workdir, topology: topologyThat('wait_for go') };
    await service.start(body);
    await ground.waitsFor('go');
    await service.start(body);
    const reply = await service.post('/jobs', body);
    expectProblem(reply, 429, 'queue-full');
    expect(reply.headers['retry-after']).toMatch(/^\d+$/);
  });
});

describe('GET /jobs', () => {
  let service: RunningService;
  let ids: string[];

  beforeAll(async () => {
    service = await startService();
    const a = service.ground.makeWorkdir('a');
    const b = service.ground.makeWorkdir('b');
    const topology = topologyThat();
    ids = [
      await service.start({ action: 'up', workdir: a, topology, labels: { team: 'core', run: '1' } }),
      await service.start({ action: 'create', workdir: b, topology, labels: { team: 'edge' } }),
      await service.start({ action: 'create', workdir: b, topology: 'nodes: [nosuch]', labels: { run: '' } }),
      await service.start({ action: 'status', workdir: b, instance: 7 }),
      await service.start({ action: 'status', workdir: b }),
    ];
    for (const id of ids) await service.ended(id);
  });

  const numbersOf = async (query: string): Promise<number[]> => {
    const reply = await service.get(`/jobs?${query}`);
    expect(reply.status).toBe(200);
    return reply.json.jobs.map((job: { id: string }) => ids.indexOf(job.id));
  };

  test('lists the newest first', async () => {
    expect(await numbersOf('')).toEqual([4, 3, 2, 1, 0]);
  });

  test.each([
    ['state=failed', [3, 2]],
    ['state=success', [4, 1, 0]],
    ['state=queued', []],
    ['state=success,failed', [4, 3, 2, 1, 0]],
    ['state=success&state=queued', [4, 1, 0]],
    ['action=create', [2, 1]],
    ['action=create&state=success', [1]],
    ['instance=7', [3]],
    ['instance=nope', []],
    ['label=team', [1, 0]],
    ['label=team=core', [0]],
    ['label=team%3Dcore', [0]],
    ['label=team&label=run=1', [0]],
    ['label=run=', [2]],
    ['label=nope', []],
    ['label=constructor', []],
    ['label=toString', []],
  ])('?%s', async (query, numbers) => {
    expect(await numbersOf(query)).toEqual(numbers);
  });

  test('?workdir', async () => {
    const { workdir } = await service.job(ids[0]!);
    expect(await numbersOf(`workdir=${encodeURIComponent(workdir)}`)).toEqual([0]);
  });

  test('?workdir is resolved as that of a job is: relative, through a link, with dots', async () => {
    const { workdir } = await service.job(ids[0]!);
    const link = `${workdir}-link`;
    symlinkSync(workdir, link);
    // The service runs where the tests do.
    for (const name of [path.relative(process.cwd(), workdir), link, `${workdir}/../a/`])
      expect([name, await numbersOf(`workdir=${encodeURIComponent(name)}`)]).toEqual([name, [0]]);
  });

  test('?workdir finds jobs whose directory is gone', async () => {
    const gone = service.ground.makeWorkdir('gone');
    const id = await service.start({ action: 'status', workdir: gone });
    await service.ended(id);
    rmSync(gone, { recursive: true });
    const { jobs } = (await service.get(`/jobs?workdir=${path.relative(process.cwd(), gone)}`)).json;
    expect(jobs.map((job: { id: string }) => job.id)).toEqual([id]);
    await service.request(`/jobs/${id}`, { method: 'DELETE' });
  });

  test('pages follow one another by Link and by nextCursor, and keep the filter', async () => {
    const seen: string[] = [];
    let next: string | undefined = '/jobs?limit=1&label=team&state=success';
    for (let page = 0; next !== undefined; page += 1) {
      expect(page).toBeLessThan(3);
      const reply = await service.get(next);
      seen.push(...reply.json.jobs.map((job: { id: string }) => job.id));
      const link = /^<(.+)>; rel="next"$/.exec(String(reply.headers.link ?? ''))?.[1];
      expect(link === undefined).toBe(reply.json.nextCursor === null);
      if (link !== undefined)
        expect(new URLSearchParams(link.split('?')[1]).get('cursor')).toBe(reply.json.nextCursor);
      next = link;
    }
    expect(seen).toEqual([ids[1], ids[0]]);
  });

  test('a job that comes between two pages moves none of them', async () => {
    const first = (await service.get('/jobs?limit=2')).json;
    await service.ended(await service.start({ action: 'status', labels: { late: 'yes' } }));
    const second = (await service.get(`/jobs?limit=2&cursor=${first.nextCursor}`)).json;
    expect(second.jobs.map((job: { id: string }) => ids.indexOf(job.id))).toEqual([2, 1]);
  });

  test('an entry is what GET /jobs/{id} shows', async () => {
    const [entry] = (await service.get('/jobs?limit=1')).json.jobs;
    expect(await service.job(entry.id)).toEqual(entry);
  });
});
