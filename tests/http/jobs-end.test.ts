/** How jobs end before their time: canceled, or with the service. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expectProblem } from '../support/problem.ts';
import { processesOf, startService, topologyThat, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

describe('POST /jobs/{id}/cancel', () => {
  async function running(...commands: string[]): Promise<{ id: string; workdir: string }> {
    const name = `cancel-${Math.random()}`;
    const workdir = service.ground.makeWorkdir(name);
    const id = await service.start({
      action: 'up',
      workdir,
      topology: topologyThat(commands.join('; ')),
    });
    return { id, workdir };
  }

  test('of a running job is 200 canceled, nothing of it is left, and again is the same', async () => {
    const { id } = await running('sleep 1000 & wait_for never-a');
    await service.ground.waitsFor('never-a');
    expect(await processesOf(id)).not.toEqual([]);
    const reply = await service.cancel(id);
    expect(reply).toMatchObject({
      status: 200,
      json: { state: 'canceled', reason: 'canceled', leftovers: [] },
    });
    expect(reply.json.error).toMatch(/^canceled\b.*"down" with "cleanup"/);
    expect(await processesOf(id)).toEqual([]);
    const again = await service.post(`/jobs/${id}/cancel`, { force: true });
    expect(again).toMatchObject({ status: 200, json: reply.json });
  });

  test('of a queued job is 200 canceled, and it never starts', async () => {
    const { id, workdir } = await running('wait_for go-b');
    await service.ground.waitsFor('go-b');
    const waiting = await service.start({ action: 'down', workdir });
    const reply = await service.post(`/jobs/${waiting}/cancel`);
    expect(reply).toMatchObject({
      status: 200,
      json: { state: 'canceled', reason: 'canceled', startedAt: null, queuePosition: null, exitCode: null },
    });
    service.ground.let('go-b');
    await service.ended(id);
    expect((await service.job(waiting)).startedAt).toBeNull();
    expect(service.ground.runs('down')).toEqual([]);
  });

  test('of a job that takes its time is 202 canceling, and force ends it', async () => {
    const slow = await startService({ env: { LAB_API_CANCEL_GRACE: '10m' } });
    const { workdir } = slow.ground;
    const topology = topologyThat("trap '' INT TERM; wait_for never-c");
    const id = await slow.start({ action: 'up', workdir, topology });
    await slow.ground.waitsFor('never-c');
    const reply = await slow.post(`/jobs/${id}/cancel`);
    expect(reply).toMatchObject({ status: 202, json: { state: 'canceling', finishedAt: null } });
    const forced = await slow.cancel(id, { body: { force: true } });
    expect(forced).toMatchObject({ status: 200, json: { state: 'canceled', leftovers: [] } });
  });

  test('of a job that has ended by itself is 409 and says how', async () => {
    for (const [command, state] of [
      ['true', 'success'],
      ['exit 3', 'failed'],
    ] as const) {
      const { id } = await running(command);
      const before = await service.ended(id);
      expect(before.state).toBe(state);
      const reply = await service.post(`/jobs/${id}/cancel`);
      expectProblem(reply, 409, 'conflict');
      expect(reply.json).toMatchObject({
        state,
        detail: `the job ended before it could be canceled (exited); its state is ${state}`,
      });
      expect(await service.job(id)).toEqual(before);
    }
  });
});

describe('onCancel: "down"', () => {
  test('a canceled up has its lab taken down, and both jobs name the other', async () => {
    const workdir = service.ground.makeWorkdir('on-cancel');
    const topology = topologyThat(': >netlab.lock', 'pwd >"$state/instances/default"', 'wait_for never');
    const body = { action: 'up', workdir, topology, onCancel: 'down', labels: { team: 'core' } };
    const id = await service.start(body);
    await service.ground.waitsFor('never');
    const waiting = await service.start({ action: 'collect', workdir });
    const reply = await service.cancel(id);
    const { cleanupJobId, error } = reply.json;
    expect(reply).toMatchObject({ status: 200, json: { state: 'canceled', request: { onCancel: 'down' } } });
    expect(error).toBe(`canceled; ${cleanupJobId} takes the lab down`);
    expect(await service.ended(cleanupJobId)).toMatchObject({
      action: 'down',
      state: 'success',
      cleanupOf: id,
      labels: { team: 'core' },
      command: expect.arrayContaining(['down', '--cleanup', '--force']),
    });
    expect(existsSync(path.join(workdir, 'netlab.lock'))).toBe(false);
    // It came after: there was no lab left to collect from.
    expect((await service.ended(waiting)).error).toMatch(/no lab is running here/);
  });
});

describe('onFailure: "down"', () => {
  const topology = topologyThat(': >netlab.lock', 'pwd >"$state/instances/default"', 'exit 3');

  test('a failed up has its lab taken down, and both jobs name the other', async () => {
    const workdir = service.ground.makeWorkdir('on-failure');
    const id = await service.start({ action: 'up', workdir, topology, onFailure: 'down' });
    const up = await service.ended(id);
    const { cleanupJobId } = up;
    expect(up).toMatchObject({ state: 'failed', reason: 'exited', exitCode: 3, mayHaveLeftLab: true });
    expect(up.error).toMatch(new RegExp(`; ${String(cleanupJobId)} takes the lab down$`));
    expect(await service.ended(String(cleanupJobId))).toMatchObject({ state: 'success', cleanupOf: id });
    expect(existsSync(path.join(workdir, 'netlab.lock'))).toBe(false);
  });
});

test('a shutdown refuses new jobs with 503 while it lasts, answers repetitions, and keeps the queue', async () => {
  const stopping = await startService({ env: { LAB_API_CANCEL_GRACE: '10m' } });
  const { workdir, ...ground } = stopping.ground;
  const request = { action: 'up', workdir, topology: topologyThat("trap '' INT TERM; wait_for go") };
  const key = { 'Idempotency-Key': 'late' };
  const id = await stopping.start(request, key);
  await ground.waitsFor('go');
  const waiting = await stopping.start({ action: 'down', workdir });
  const stopped = stopping.stop({ cancelJobs: true });
  await stopping.reach(id, 'canceling');
  const reply = await stopping.post('/jobs', { action: 'status' });
  expectProblem(reply, 503, 'shutting-down');
  expect(reply.headers['retry-after']).toMatch(/^\d+$/);
  expect((await stopping.post('/jobs', request, key)).json).toMatchObject({ id, state: 'canceling' });
  ground.let('go');
  await stopped;
  const record = (job: string) =>
    JSON.parse(readFileSync(path.join(ground.dataDir, 'jobs', job, 'job.json'), 'utf8'));
  expect(record(waiting)).toMatchObject({ state: 'queued' });
  expect(['canceled', 'success']).toContain(record(id).state);
  expect(await processesOf(id)).toEqual([]);
});
