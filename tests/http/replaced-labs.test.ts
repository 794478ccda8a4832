/** `up` with `replace`: the lab in the directory is taken down, and another one started, or neither. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { expectProblem } from '../support/problem.ts';
import { fourNodes, quotaCourse, withNodes } from '../support/quota-course.ts';
import {
  makeGround,
  startService,
  topologyThat,
  type Ground,
  type RunningService,
} from '../support/service.ts';

interface ListedJob {
  readonly id: string;
  readonly action: string;
  readonly state: string;
  readonly replacedBy: string | null;
}

describe('quotas', () => {
  const { request, use, start, submit, run, takeAllDown, usedBy } = quotaCourse();
  const sixNodes = withNodes('[r1, r2, h1, h2, h3, h4]');
  const jobs = async (): Promise<readonly ListedJob[]> => (await request('ann', 'GET', '/jobs')).json.jobs;

  test('without room for the new nodes leave the lab and the list of jobs as they are', async () => {
    await use({ sue: { labs: 1, nodes: 5, jobs: 1 } });
    const { workspace, instance } = await run('sue', start({ topology: fourNodes }));
    const before = await jobs();
    const asked = start({ workspace, topology: sixNodes, replace: true });
    const refused = await submit('sue', asked);
    expectProblem(refused, 403, 'over-quota');
    expect(refused.json.quota).toMatchObject({ resource: 'nodes', used: 4, wanted: 2, left: 1 });
    expect(await jobs()).toEqual(before);
    const [lab] = (await request('sue', 'GET', '/labs')).json.labs;
    expect(lab).toMatchObject({ id: instance, workspace });
    // The `down` counts for no user: one job may wait.
    await use({ sue: { labs: 1, nodes: 6, jobs: 1 } });
    const up = await run('sue', asked);
    expect(up).toMatchObject({ action: 'up', workspace, instance: String(asked.multilabId) });
    const [down] = (await jobs()).filter(({ replacedBy }) => replacedBy !== null);
    expect(down).toMatchObject({ action: 'down', state: 'success', replacedBy: up.id, workspace });
    expect((await usedBy('sue'))['user nodes']).toEqual([6, 6]);
    expect((await request('sue', 'GET', '/labs')).json.labs).toMatchObject([{ id: up.instance }]);
    await takeAllDown();
  });
});

describe('a lab', () => {
  let ground: Ground;
  let service: RunningService;
  const env = { LAB_API_MAX_QUEUED_JOBS: '3', FAKE_LAB_LOGS: '1' };

  beforeEach(async () => {
    ground = makeGround();
    service = await startService({ ground, env });
  });
  afterEach(async () => {
    ground.let('gate');
    await service.stop({ cancelJobs: true });
  });

  const place = (more: Readonly<Record<string, unknown>> = {}) => ({
    action: 'up',
    workdir: ground.workdir,
    ...more,
  });
  const replace = (more: Readonly<Record<string, unknown>> = {}) =>
    place({ topology: topologyThat(), multilabId: 8, replace: true, ...more });
  const run = async (body: Readonly<Record<string, unknown>>) => service.ended(await service.start(body));
  const startFirst = async () => run(place({ topology: topologyThat(), multilabId: 7 }));
  /** Holds the directory until the gate is open. */
  const hold = async (): Promise<string> => {
    const id = await service.start(place({ action: 'create', topology: topologyThat('wait_for gate') }));
    await ground.waitsFor('gate');
    return id;
  };
  const jobs = async (): Promise<readonly ListedJob[]> => (await service.get('/jobs')).json.jobs;
  const downFor = async (up: string): Promise<ListedJob> => {
    const found = (await jobs()).find(({ replacedBy }) => replacedBy === up);
    if (!found) throw new Error(`no "down" makes room for ${up}`);
    return found;
  };
  const labs = async (): Promise<readonly string[]> =>
    (await service.get('/labs', { 'Cache-Control': 'no-cache' })).json.labs.map(
      ({ id }: { id: string }) => id,
    );

  test('is replaced by one of another name, once for each key of a client', async () => {
    await startFirst();
    const headers = { 'Idempotency-Key': 'again' };
    const { json } = await service.post('/jobs', replace(), headers);
    expect(await service.ended(json.id)).toMatchObject({ state: 'success', replacedBy: null });
    expect(await downFor(json.id)).toMatchObject({ action: 'down', state: 'success' });
    expect((await service.post('/jobs', replace(), headers)).json.id).toBe(json.id);
    expect(await labs()).toEqual(['8']);
    expect(ground.runs('down')).toHaveLength(1);
  });

  test('that is not there yet is started alone, and a dry run takes nothing down', async () => {
    expect(await run(replace())).toMatchObject({ state: 'success' });
    const { id } = await run(replace({ dryRun: true, action: 'up' }));
    expect((await jobs()).map(({ action }) => action)).toEqual(['up', 'up']);
    expect((await jobs())[0]).toMatchObject({ id });
    expect(await labs()).toEqual(['8']);
  });

  test('stays when the queue has room for one of the two jobs alone', async () => {
    await startFirst();
    await hold();
    await service.start(place({ action: 'validate' }));
    await service.start(place({ action: 'validate' }));
    const before = await jobs();
    const refused = await service.post('/jobs', replace());
    expectProblem(refused, 429, 'queue-full');
    expect(await jobs()).toEqual(before);
    expectProblem(await service.post('/jobs', replace({ onConflict: 'reject' })), 429, 'queue-full');
  });

  test('stays when a lab in another directory has the id of the new one', async () => {
    await startFirst();
    await run(replace({ workdir: ground.makeWorkdir('other') }));
    const before = await jobs();
    const refused = await service.post('/jobs', replace());
    expectProblem(refused, 409, 'conflict');
    expect(refused.json.detail).toContain('has the id "8"');
    expect(await jobs()).toEqual(before);
    expect(await labs()).toEqual(['7', '8']);
  });

  test.each(['up', 'down'])('stays when the waiting %s is canceled: the other one is, too', async (which) => {
    await startFirst();
    const holder = await hold();
    const up = await service.start(replace());
    const down = await downFor(up);
    expect(down.state).toBe('queued');
    await service.cancel(which === 'up' ? up : down.id);
    for (const id of [up, down.id])
      expect(await service.ended(id)).toMatchObject({ state: 'canceled', reason: 'canceled' });
    ground.let('gate');
    await service.ended(holder);
    expect(await labs()).toEqual(['7']);
  });

  test('is gone when the job behind its "down" is canceled too late', async () => {
    await startFirst();
    const holder = await hold();
    const up = await service.start(replace({ topology: topologyThat('wait_for late') }));
    ground.let('gate');
    await service.ended(holder);
    await ground.waitsFor('late');
    const down = await downFor(up);
    expect(down.state).toBe('success');
    await service.cancel(up);
    expect(await downFor(up)).toEqual(down);
    expect(await labs()).toEqual([]);
  });

  test('is replaced when the service is started anew between the two jobs', async () => {
    await startFirst();
    const holder = await hold();
    const up = await service.start(replace());
    await service.stop();
    service = await startService({ ground, env });
    expect((await downFor(up)).state).toBe('queued');
    ground.let('gate');
    await service.ended(holder);
    expect(await service.ended(up)).toMatchObject({ state: 'success' });
    expect((await downFor(up)).state).toBe('success');
    expect(await labs()).toEqual(['8']);
  });

  test('that is taken down meanwhile is started all the same', async () => {
    await startFirst();
    const holder = await hold();
    await service.start(place({ action: 'down' }));
    const up = await service.start(replace());
    ground.let('gate');
    await service.ended(holder);
    expect(await service.ended(up)).toMatchObject({ state: 'success' });
    expect((await downFor(up)).state).toBe('failed');
    expect(await labs()).toEqual(['8']);
  });
});
