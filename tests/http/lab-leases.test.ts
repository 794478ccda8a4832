import { beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeEach(async () => {
  service = await startService();
});

const up = (workdir: string, more: object = {}) => ({
  action: 'up',
  workdir,
  topology: topologyThat(),
  ...more,
});

async function downOf(upId: string) {
  return eventually(`the down of ${upId}`, async () => {
    const { jobs } = (await service.get('/jobs?action=down')).json;
    return (jobs as { id: string; leaseOf: string | null }[]).find(({ leaseOf }) => leaseOf === upId);
  });
}

/** What is on disk of the leases. */
function leasesOnDisk() {
  const file = path.join(service.ground.dataDir, 'leases.json');
  if (!existsSync(file)) return { leases: [], expected: [] };
  return JSON.parse(readFileSync(file, 'utf8')) as {
    leases: { job: string; expiresAt: string; workdir: string }[];
    expected: { job: string; ttlMs: number }[];
  };
}

const patch = async (id: string, body: unknown) => service.request(`/labs/${id}`, { method: 'PATCH', body });

describe('a lab with a lease', () => {
  test('is taken down when its time is over, by a job that names the up', async () => {
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 0.3, labels: { team: 'core' } }));
    expect((await service.ended(id)).state).toBe('success');
    const { id: downId } = await downOf(id);
    const down = await service.ended(downId);
    expect(down).toMatchObject({
      state: 'success',
      leaseOf: id,
      requestedBy: null,
      labels: { team: 'core' },
      request: { cleanup: true, force: true, workdir },
    });
    expect((await service.get('/status')).json.warning).toBe('No netlab-managed labs');
    await eventually('the lease to be forgotten', () => leasesOnDisk().leases.length === 0);
  });

  test('that was stopped by somebody gets no down', async () => {
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 3600 }));
    await service.ended(id);
    await eventually('the lease', () => leasesOnDisk().leases.length === 1);
    await service.ended(await service.start({ action: 'down', workdir }));
    await eventually('the lease to end', () => leasesOnDisk().leases.length === 0);
  });

  test('is left alone while jobs of it run; the down waits its turn', async () => {
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 3600 }));
    await service.ended(id);
    const busy = await service.start({
      action: 'create',
      workdir,
      topology: topologyThat('wait_for busy'),
    });
    await service.ground.waitsFor('busy');
    await patch('default', { ttlSeconds: 0.1 });
    const { id: downId } = await downOf(id);
    expect((await service.job(downId)).state).toBe('queued');
    service.ground.let('busy');
    await service.ended(busy);
    expect((await service.ended(downId)).state).toBe('success');
  });
});

describe('PATCH /labs/{id}', () => {
  test('gives a lab more time, less, and none', async () => {
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 3600 }));
    await service.ended(id);
    await eventually('the lease', () => leasesOnDisk().leases.length === 1);
    const longer = await patch('default', { ttlSeconds: 7200 });
    expect(longer.status).toBe(200);
    expect(longer.json).toMatchObject({ id: 'default', workdir, jobId: id });
    expect(Date.parse(longer.json.expiresAt)).toBeGreaterThan(Date.now() + 7_100_000);
    const never = await patch('default', { expiresAt: null });
    expect(never.json.expiresAt).toBeNull();
    expect(leasesOnDisk().leases).toEqual([]);
  });

  test('more time takes back a down that waits', async () => {
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 3600 }));
    await service.ended(id);
    const busy = await service.start({
      action: 'create',
      workdir,
      topology: topologyThat('wait_for longer'),
    });
    await service.ground.waitsFor('longer');
    await patch('default', { ttlSeconds: 0.1 });
    const { id: downId } = await downOf(id);
    expect((await patch('default', { ttlSeconds: 3600 })).status).toBe(200);
    expect(await service.ended(downId)).toMatchObject({ state: 'canceled' });
    service.ground.let('longer');
    await service.ended(busy);
    expect(Object.keys((await service.get('/status')).json)).toEqual(['default']);
    expect(leasesOnDisk().leases).toHaveLength(1);
  });

  test('what is wrong is said by the field', async () => {
    service = await startService({ env: { LAB_API_MAX_TTL: '1h' } });
    const id = await service.start(up(service.ground.workdir));
    await service.ended(id);
    // The maximum holds for labs that name no time, too.
    await eventually('the lease', () => leasesOnDisk().leases.length === 1);
    const bodies: [unknown, string][] = [
      [{}, 'give either expiresAt or ttlSeconds'],
      [{ expiresAt: '2099-01-01T00:00:00Z', ttlSeconds: 1 }, 'give either expiresAt or ttlSeconds'],
      [{ expiresAt: 'tomorrow' }, 'expiresAt: must be a time such as'],
      [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt: must be in the future'],
      [{ expiresAt: '2099-01-01T00:00:00Z' }, 'expiresAt: must not be over 3600 s (1h)'],
      [{ ttlSeconds: 0 }, 'ttlSeconds: must be a number over 0'],
      [{ ttlSeconds: 3601 }, 'ttlSeconds: must not be over 3600 s (1h)'],
      [{ ttlSeconds: null }, 'labs live for 1h at most'],
      [{ ttlSecond: 5 }, 'did you mean "ttlSeconds"'],
      [[], 'body'],
    ];
    for (const [body, words] of bodies) {
      const reply = await patch('default', body);
      expectProblem(reply, 400, 'invalid-request');
      expect(reply.json.detail).toContain(words);
      if (words.startsWith('give')) expect(wrongFields(reply)).toEqual(['body']);
    }
    expectProblem(await patch('nobody', { ttlSeconds: 5 }), 404, 'instance-not-found');
    const tooLong = await service.post('/jobs', up(service.ground.workdir, { ttlSeconds: 3601 }));
    expectProblem(tooLong, 400, 'invalid-request');
  });

  test('a lab that somebody else started gets no end', async () => {
    const state = service.ground.env['FAKE_LAB_STATE']!;
    const { workdir } = service.ground;
    await service.ended(await service.start({ action: 'status', workdir }));
    writeFileSync(path.join(state, 'instances', 'foreign'), `${workdir}\n`);
    const reply = await service.request('/labs/foreign', { method: 'PATCH', body: { ttlSeconds: 5 } });
    expectProblem(reply, 409, 'conflict');
    expect(reply.json.detail).toContain('was not started by this service');
  });
});
