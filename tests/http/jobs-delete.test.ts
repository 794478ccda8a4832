import { beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expectProblem } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

const remove = async (id: string) => service.request(`/jobs/${id}`, { method: 'DELETE' });
const directoryOf = (id: string): string => path.join(service.ground.dataDir, 'jobs', id);

async function finished(...commands: string[]): Promise<string> {
  const workdir = service.ground.makeWorkdir(`delete-${Math.random()}`);
  const id = await service.start({ action: 'create', workdir, topology: topologyThat(...commands) });
  await service.ended(id);
  return id;
}

describe('DELETE /jobs/{id}', () => {
  test('is 204; the job is gone from the list and from the disk', async () => {
    const [id, other] = [await finished(), await finished()];
    const reply = await remove(id);
    expect({ status: reply.status, body: reply.text }).toEqual({ status: 204, body: '' });
    expect(existsSync(directoryOf(id))).toBe(false);
    expectProblem(await service.get(`/jobs/${id}`), 404, 'job-not-found');
    expectProblem(await service.get(`/jobs/${id}/log`), 404, 'job-not-found');
    expectProblem(await service.post(`/jobs/${id}/cancel`), 404, 'job-not-found');
    expectProblem(await remove(id), 404, 'job-not-found');
    const { jobs } = (await service.get('/jobs')).json;
    const ids = jobs.map((job: { id: string }) => job.id);
    expect(ids).toContain(other);
    expect(ids).not.toContain(id);
  });

  test('of an active job is 409 and says where it is', async () => {
    const workdir = service.ground.makeWorkdir('active');
    const id = await service.start({ action: 'up', workdir, topology: topologyThat('wait_for go') });
    await service.ground.waitsFor('go');
    const waiting = await service.start({ action: 'down', workdir });
    for (const [active, state] of [
      [id, 'running'],
      [waiting, 'queued'],
    ] as const) {
      const reply = await remove(active);
      expectProblem(reply, 409, 'job-active');
      expect(reply.json.state).toBe(state);
    }
    service.ground.let('go');
    await service.ended(waiting);
    expect((await remove(id)).status).toBe(204);
  });

  test.each(['nonsense', '..%2F..%2Fhome', 'job-1-000000'])('of %s is 404', async (id) => {
    expectProblem(await remove(id), 404, 'job-not-found');
    expect(existsSync(service.ground.env['HOME'] ?? '')).toBe(true);
  });

  test('many at once, and readers all the while: nobody sees a fault', async () => {
    for (let round = 0; round < 8; round += 1) {
      const id = await finished('seq 20000');
      const reading = ['', '', '/log', '/log?output=text', '/log?output=text&offset=5'].map(
        async (what) => (await service.get(`/jobs/${id}${what}`)).status,
      );
      const removing = [remove(id), remove(id), remove(id)].map(async (reply) => (await reply).status);
      const listing = service.get('/jobs');
      for (const status of await Promise.all(reading)) expect([200, 404]).toContain(status);
      const statuses = await Promise.all(removing);
      expect(statuses).toContain(204);
      for (const status of statuses) expect([204, 404]).toContain(status);
      expect((await listing).status).toBe(200);
      expect(existsSync(directoryOf(id))).toBe(false);
    }
  });

  test.each([
    ['text', { Accept: 'text/plain' }],
    ['events', { Accept: 'text/event-stream' }],
  ])('a slow follower of its log as %s is let go, and the service goes on', async (_format, headers) => {
    // More than the buffers between the two ends hold, so that the follower is in the middle of it.
    const id = await finished('yes 0123456789 | head -c 60000000');
    const stream = await service.open(`/jobs/${id}/log?follow=true`, { headers });
    expect(stream.statusCode).toBe(200);
    stream.pause();
    expect((await remove(id)).status).toBe(204);
    const rest = await text(stream).catch(() => 'cut off');
    expect(rest.includes('event: end')).toBe(false);
    expect((await service.get('/healthz')).status).toBe(200);
    expectProblem(await service.get(`/jobs/${id}/log?follow=true`, headers), 404, 'job-not-found');
  });
});
