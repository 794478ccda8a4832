/** Jobs that run in a workspace. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService({ env: { LAB_API_ROOTS: '/nonexistent' } });
});

const place = (name: string, ...parts: string[]): string =>
  path.join(service.ground.dataDir, 'workspaces', name, ...parts);

describe('a job in a workspace', () => {
  test('makes it, and is found by it, whatever the roots are', async () => {
    const id = await service.start({ action: 'up', workspace: 'lab', topology: topologyThat() });
    const job = await service.ended(id);
    expect(job).toMatchObject({ state: 'success', workspace: 'lab', workdir: place('lab') });
    expect((await service.get('/jobs?workspace=lab')).json.jobs).toMatchObject([{ id }]);
    expect((await service.get('/jobs?workspace=other')).json.jobs).toEqual([]);
  });

  test('may have one that is called after it', async () => {
    const id = await service.start({ action: 'up', workspace: 'auto', topology: topologyThat() });
    expect(await service.ended(id)).toMatchObject({ state: 'success', workspace: id, workdir: place(id) });
    const again = await service.post(`/jobs/${id}/retry`);
    const { id: own } = again.json;
    expect(own).not.toBe(id);
    // What it asked for once more, not what the first one was given.
    expect(again.json).toMatchObject({ workspace: own, workdir: place(own) });
    await service.ended(own);
  });

  test('may have a directory of its own in it, also when it is repeated', async () => {
    mkdirSync(place('lab', 'one'), { recursive: true });
    const body = { action: 'create', workspace: 'lab', workdir: 'one', topology: topologyThat() };
    const id = await service.start(body);
    const own = { state: 'success', workspace: 'lab', workdir: place('lab', 'one'), warnings: [] };
    expect(await service.ended(id)).toMatchObject(own);
    const again = await service.post(`/jobs/${id}/retry`);
    expect(await service.ended(again.json.id)).toMatchObject(own);
  });

  test('has its files counted as soon as it has ended', async () => {
    await service.request('/workspaces/counted', { method: 'PUT' });
    const files = async () => (await service.get('/workspaces/counted')).json.files;
    expect(await files()).toBe(0);
    const body = { action: 'create', workspace: 'counted', topology: topologyThat() };
    await service.ended(await service.start(body));
    expect(await files()).toBeGreaterThan(0);
  });

  test('makes none when it is refused', async () => {
    for (const body of [
      { action: 'up', workspace: 'refused' },
      { action: 'down', workspace: 'refused' },
      { action: 'up', workspace: 'Refused', topology: topologyThat() },
    ])
      expect([400, 404]).toContain((await service.post('/jobs', body)).status);
    expect(existsSync(place('refused'))).toBe(false);
  });
});
