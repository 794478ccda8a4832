import { beforeAll, describe, expect, test } from '@jest/globals';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const env = { LAB_API_USER: 'alice', LAB_API_PASSWORD: 'a password' };
const Authorization = `Basic ${Buffer.from('alice:a password').toString('base64')}`;
const noCache = { 'Cache-Control': 'no-cache' };

describe('with two labs', () => {
  let service: RunningService;
  let other: string;
  let up: string;
  beforeAll(async () => {
    service = await startService({ env, client: { headers: { Authorization } } });
    const { workdir } = service.ground;
    other = service.ground.makeWorkdir('other');
    up = await service.start({ action: 'up', workdir, topology: topologyThat() });
    await service.ended(up);
    await service.ended(
      await service.start({ action: 'up', workdir: other, topology: topologyThat(), multilabId: 7 }),
    );
  });

  test('each is told in words of ours, with its nodes and jobs', async () => {
    const { json } = await service.get('/labs');
    expect(json.labs.map(({ id }: { id: string }) => id).toSorted()).toEqual(['7', 'default']);
    const lab = json.labs.find(({ id }: { id: string }) => id === 'default');
    expect(lab).toMatchObject({
      name: 'demo',
      state: 'started',
      workdir: service.ground.workdir,
      workspace: null,
      problem: null,
      provider: 'clab',
      runtime: 'containers',
      startedAt: null,
      expiresAt: null,
      jobs: [up],
    });
    expect(lab.nodes.map(({ name }: { name: string }) => name)).toEqual(['r1', 'r2', 'h1', 'h2']);
    expect(lab.nodes[0]).toMatchObject({ device: 'frr', provider: 'clab', state: 'up', image: null });
    // Five seconds before the lab CLI was asked.
    expect(Date.parse(lab.nodes[0].since)).toBeGreaterThan(Date.now() - 3_600_000);
    const { ready: _ready, readyReason: _reason, ...first } = lab.nodes[0];
    expect((await service.get('/labs/default')).json.nodes[0]).toMatchObject(first);
  });

  test('a client waits for nodes that may become ready, and not for those of which nothing tells', async () => {
    const { ready, nodes } = (await service.get('/labs/default?wait=ready')).json;
    expect(ready).toBe(null);
    expect(nodes[0]).toMatchObject({ ready: null, readyReason: 'it has no address to ask' });
    const wrong = await service.get('/labs/default?wait=up&timeout=601');
    expectProblem(wrong, 400, 'invalid-request');
    expect(wrongFields(wrong)).toEqual(['wait', 'timeout']);
    expectProblem(await service.get('/labs/nowhere?wait=ready'), 404, 'instance-not-found');
  });

  test('filters choose among them', async () => {
    const link = path.join(service.ground.root, 'link');
    symlinkSync(other, link);
    const ids = async (query: string): Promise<string[]> =>
      (await service.get(`/labs?${query}`)).json.labs.map(({ id }: { id: string }) => id);
    expect(await ids(`workdir=${other}`)).toEqual(['7']);
    expect(await ids(`workdir=${link}`)).toEqual(['7']);
    expect(await ids('workdir=/nowhere')).toEqual([]);
    expect(await ids('state=started,missing')).toHaveLength(2);
    expect(await ids('state=stopping')).toEqual([]);
    const wrong = await service.get('/labs?state=up&owner=x');
    expectProblem(wrong, 400, 'invalid-request');
    expect(wrongFields(wrong)).toEqual(['owner', 'state']);
  });

  test.each(['/labs', '/labs/default'])(
    '%s has an ETag, and what is known already is 304',
    async (target) => {
      const first = await service.get(target);
      expect(first.headers).toMatchObject({
        'cache-control': 'private, no-cache',
        age: expect.stringMatching(/^\d+$/),
      });
      // Until the readiness of the nodes is known, the next answer is another one.
      const again = await eventually('an answer that stays', async () => {
        const { headers } = await service.get(target);
        const reply = await service.get(target, { 'If-None-Match': String(headers.etag) });
        return reply.status === 304 ? reply : undefined;
      });
      expect(again.text).toBe('');
    },
  );

  test.each(['nowhere', 'constructor', '__proto__', 'a%2fb', 'a%00b', '--all'])(
    'the lab %s is 404, and no lab CLI is asked about it',
    async (id) => {
      expectProblem(await service.get(`/labs/${id}`), 404, 'instance-not-found');
      expect(service.ground.runs(`status --instance ${id}`)).toEqual([]);
    },
  );
});

test('a lab whose nodes cannot be told is listed with the reason, and hides no other', async () => {
  const service = await startService();
  const { workdir } = service.ground;
  await service.ended(await service.start({ action: 'up', workdir, topology: topologyThat() }));
  const other = { workdir: service.ground.makeWorkdir('other'), topology: topologyThat(), multilabId: 7 };
  await service.ended(await service.start({ action: 'up', ...other }));
  service.ground.onStatus('[ "$instance" = 7 ] && fatal "no such container"');
  const { json } = await service.get('/labs', noCache);
  const problems = json.labs.map((lab: { id: string; problem: string | null; nodes: unknown[] }) => [
    lab.id,
    lab.nodes.length,
    lab.problem,
  ]);
  expect(problems.toSorted()).toEqual([
    ['7', 0, expect.stringContaining('no such container')],
    ['default', 4, null],
  ]);
  expect((await service.get('/labs/7', noCache)).json).toMatchObject({
    id: '7',
    state: 'started',
    nodes: [],
  });
  service.ground.onStatus('fatal "nothing works"');
  expectProblem(await service.get('/labs', noCache), 502, 'lab-cli-failed');
});
