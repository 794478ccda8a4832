import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { makeGround, startService, topologyThat, type RunningService } from '../support/service.ts';

/** A service without labs, whose lab CLI ends labs as long as no `stuck` stands in their directory. */
async function serviceWith(env: Record<string, string> = {}, ground = makeGround()): Promise<RunningService> {
  return startService({ ground, env });
}

const up = (workdir: string, more: object = {}) => ({
  action: 'up',
  workdir,
  topology: topologyThat(),
  ...more,
});

async function downOf(service: RunningService, upId: string) {
  return eventually(`the down of ${upId}`, async () => {
    const { jobs } = (await service.get('/jobs?action=down')).json;
    return (jobs as { id: string; leaseOf: string | null }[]).find(({ leaseOf }) => leaseOf === upId);
  });
}

/** What is on disk of the leases. */
function leasesOf(service: RunningService) {
  const file = path.join(service.ground.dataDir, 'leases.json');
  if (!existsSync(file)) return { leases: [], expected: [] };
  return JSON.parse(readFileSync(file, 'utf8')) as {
    leases: { job: string; expiresAt: string; workdir: string }[];
    expected: { job: string; ttlMs: number }[];
  };
}

describe('a lab with a lease', () => {
  test('is taken down when its time is over, by a job that names the up', async () => {
    const service = await serviceWith();
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 0.3, labels: { team: 'core' } }));
    expect((await service.ended(id)).state).toBe('success');
    const { id: downId } = await downOf(service, id);
    const down = await service.ended(downId);
    expect(down).toMatchObject({
      state: 'success',
      leaseOf: id,
      requestedBy: null,
      labels: { team: 'core' },
      request: { cleanup: true, force: true, workdir },
    });
    expect((await service.get('/status')).json.warning).toBe('No netlab-managed labs');
    await eventually('the lease to be forgotten', () => leasesOf(service).leases.length === 0);
  });

  test('that was stopped by somebody gets no down', async () => {
    const service = await serviceWith();
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 3600 }));
    await service.ended(id);
    await eventually('the lease', () => leasesOf(service).leases.length === 1);
    await service.ended(await service.start({ action: 'down', workdir }));
    await eventually('the lease to end', () => leasesOf(service).leases.length === 0);
  });

  test('whose time is over while the service is away is taken down at the next start', async () => {
    const ground = makeGround();
    const first = await serviceWith({}, ground);
    const id = await first.start(up(ground.workdir, { ttlSeconds: 1 }));
    await first.ended(id);
    await eventually('the lease', () => leasesOf(first).leases.length === 1);
    const { expiresAt } = leasesOf(first).leases[0]!;
    await first.stop();
    await eventually('the time to be over', () => Date.now() > Date.parse(expiresAt));
    const second = await serviceWith({}, ground);
    expect((await second.ended((await downOf(second, id)).id)).state).toBe('success');
  });

  test('whose up ended while the service was away has its lease all the same', async () => {
    const ground = makeGround();
    const first = await serviceWith({}, ground);
    const id = await first.start(
      up(ground.workdir, { topology: topologyThat('wait_for late'), ttlSeconds: 0.5 }),
    );
    await ground.waitsFor('late');
    await first.stop();
    ground.let('late');
    const second = await serviceWith({}, ground);
    await second.ended(id);
    expect((await second.ended((await downOf(second, id)).id)).state).toBe('success');
  });

  test('is left alone while jobs of it run; the down waits its turn', async () => {
    const service = await serviceWith();
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 0.5 }));
    await service.ended(id);
    const busy = await service.start({
      action: 'create',
      workdir,
      topology: topologyThat('wait_for busy'),
    });
    await service.ground.waitsFor('busy');
    const { id: downId } = await downOf(service, id);
    expect((await service.job(downId)).state).toBe('queued');
    service.ground.let('busy');
    await service.ended(busy);
    expect((await service.ended(downId)).state).toBe('success');
  });

  test('of which the down fails is tried again later, and everybody who follows is told', async () => {
    const service = await serviceWith();
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 0.3 }));
    await service.ended(id);
    // The fake lab CLI finds no lab there, though the status goes on listing it.
    rmSync(path.join(workdir, 'netlab.lock'));
    const { id: downId } = await downOf(service, id);
    expect((await service.ended(downId)).state).toBe('failed');
    const lease = await eventually('the next try', () => {
      const [found] = leasesOf(service).leases as { tries?: number; why?: string; nextTryAt?: string }[];
      return found?.tries === 1 && found;
    });
    expect(lease.why).toContain('no lab is running here');
    expect(Date.parse(lease.nextTryAt ?? '')).toBeGreaterThan(Date.now());
    writeFileSync(path.join(workdir, 'netlab.lock'), '');
  });

  test('of an up that fails there is none', async () => {
    const service = await serviceWith();
    const id = await service.start(
      up(service.ground.workdir, { topology: topologyThat('exit 3'), ttlSeconds: 9 }),
    );
    expect((await service.ended(id)).state).toBe('failed');
    await eventually('nothing to be kept', () => {
      const { leases, expected } = leasesOf(service);
      return leases.length + expected.length === 0;
    });
  });
});

describe('PATCH /labs/{id}', () => {
  const patch = async (service: RunningService, id: string, body: unknown) =>
    service.request(`/labs/${id}`, { method: 'PATCH', body });

  test('gives a lab more time, less, and none', async () => {
    const service = await serviceWith();
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 3600 }));
    await service.ended(id);
    await eventually('the lease', () => leasesOf(service).leases.length === 1);
    const longer = await patch(service, 'default', { ttlSeconds: 7200 });
    expect(longer.status).toBe(200);
    expect(longer.json).toMatchObject({ id: 'default', workdir, jobId: id });
    expect(Date.parse(longer.json.expiresAt)).toBeGreaterThan(Date.now() + 7_100_000);
    const never = await patch(service, 'default', { expiresAt: null });
    expect(never.json.expiresAt).toBeNull();
    expect(leasesOf(service).leases).toEqual([]);
  });

  test('less time ends it at that moment', async () => {
    const service = await serviceWith();
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 3600 }));
    await service.ended(id);
    await eventually('the lease', () => leasesOf(service).leases.length === 1);
    const at = new Date(Date.now() + 400).toISOString();
    expect((await patch(service, 'default', { expiresAt: at })).json.expiresAt).toBe(at);
    expect((await service.ended((await downOf(service, id)).id)).state).toBe('success');
  });

  test('more time takes back a down that waits', async () => {
    const service = await serviceWith();
    const { workdir } = service.ground;
    const id = await service.start(up(workdir, { ttlSeconds: 0.5 }));
    await service.ended(id);
    const busy = await service.start({
      action: 'create',
      workdir,
      topology: topologyThat('wait_for longer'),
    });
    await service.ground.waitsFor('longer');
    const { id: downId } = await downOf(service, id);
    expect((await patch(service, 'default', { ttlSeconds: 3600 })).status).toBe(200);
    expect(await service.ended(downId)).toMatchObject({ state: 'canceled' });
    service.ground.let('longer');
    await service.ended(busy);
    expect(Object.keys((await service.get('/status')).json)).toEqual(['default']);
    expect(leasesOf(service).leases).toHaveLength(1);
  });

  test('what is wrong is said by the field', async () => {
    const service = await serviceWith({ LAB_API_MAX_TTL: '1h' });
    const id = await service.start(up(service.ground.workdir));
    await service.ended(id);
    // The maximum holds for labs that name no time, too.
    await eventually('the lease', () => leasesOf(service).leases.length === 1);
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
      const reply = await patch(service, 'default', body);
      expectProblem(reply, 400, 'invalid-request');
      expect(reply.json.detail).toContain(words);
      if (words.startsWith('give')) expect(wrongFields(reply)).toEqual(['body']);
    }
    expectProblem(await patch(service, 'nobody', { ttlSeconds: 5 }), 404, 'instance-not-found');
    const tooLong = await service.post('/jobs', up(service.ground.workdir, { ttlSeconds: 3601 }));
    expectProblem(tooLong, 400, 'invalid-request');
  });

  test('a lab that somebody else started gets no end', async () => {
    const service = await serviceWith();
    const state = service.ground.env['FAKE_LAB_STATE']!;
    const { workdir } = service.ground;
    await service.ended(await service.start({ action: 'status', workdir }));
    writeFileSync(path.join(state, 'instances', 'foreign'), `${workdir}\n`);
    const reply = await service.request('/labs/foreign', { method: 'PATCH', body: { ttlSeconds: 5 } });
    expectProblem(reply, 409, 'conflict');
    expect(reply.json.detail).toContain('was not started by this service');
  });
});

test('ttlSeconds of another action is ignored, with a warning', async () => {
  const service = await serviceWith();
  const id = await service.start({ action: 'status', ttlSeconds: 5, workdir: service.ground.workdir });
  expect((await service.ended(id)).warnings).toContain('option "ttlSeconds" is ignored: it belongs to "up"');
});
