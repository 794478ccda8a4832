import { beforeAll, describe, expect, test } from '@jest/globals';
import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

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

  test('?since has the jobs from a moment on, ?until those before it', async () => {
    const { createdAt } = await service.job(ids[2]!);
    expect(await numbersOf(`since=${createdAt}`)).toEqual([4, 3, 2]);
    expect(await numbersOf(`until=${createdAt}`)).toEqual([1, 0]);
    const elsewhere = `${new Date(Date.parse(createdAt) + 3_600_000).toISOString().slice(0, -1)}+01:00`;
    expect(await numbersOf(`since=${encodeURIComponent(elsewhere)}`)).toEqual([4, 3, 2]);
    expect(await numbersOf('since=24h')).toEqual([4, 3, 2, 1, 0]);
    expect(await numbersOf('until=999999d')).toEqual([]);
    expect(await numbersOf('since=2026-01-31&until=9999-12-31')).toEqual([4, 3, 2, 1, 0]);
    expect(await numbersOf('since=9999-12-31T23:59:59-01:00')).toEqual([]);
    expect(await numbersOf('until=0000-01-01T00:00:00%2B01:00')).toEqual([]);
  });

  test.each(['since=yesterday', 'until=5', 'since=2026-02-31', 'until=2026-01-31T12:00:00', 'since=1.5h'])(
    '?%s is refused with the forms of a time',
    async (query) => {
      const { status, json } = await service.get(`/jobs?${query}`);
      expect([status, json.errors]).toEqual([
        400,
        [{ field: query.split('=')[0], message: expect.stringContaining('24h') }],
      ]);
    },
  );

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

  test('?instance= finds the jobs of a lab however their requests named it', async () => {
    const workdir = service.ground.makeWorkdir('named');
    const lab = { workdir, topology: topologyThat() };
    const multilab = `defaults.multilab.id: 12\n${topologyThat()}`;
    const jobs: string[] = [];
    for (const request of [
      { action: 'create', workdir, topology: multilab },
      { action: 'up', ...lab, set: { 'defaults.multilab.id': 12 } },
      { action: 'collect', workdir },
      { action: 'status', instance: 12 },
      { action: 'down', workdir },
    ]) {
      jobs.push(await service.start(request));
      await service.ended(jobs.at(-1) ?? '');
    }
    const { json } = await service.get('/jobs?instance=12');
    expect(json.jobs.map(({ id }: { id: string }) => jobs.indexOf(id))).toEqual([4, 3, 2, 1, 0]);
  });
});
