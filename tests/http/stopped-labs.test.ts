import { beforeEach, describe, expect, test } from '@jest/globals';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeEach(async () => {
  service = await startService();
});

async function run(body: Record<string, unknown>): Promise<string> {
  const id = await service.start(body);
  expect(await service.ended(id)).toMatchObject({ state: 'success' });
  return id;
}

async function stopped(): Promise<object[]> {
  return (await service.get('/stopped-labs')).json.stoppedLabs;
}

describe('GET /stopped-labs', () => {
  test('has a lab from its down on, until it is started again by the job that it names', async () => {
    const { workdir } = service.ground;
    const start = await run({ action: 'up', workdir, topology: topologyThat() });
    expect(await stopped()).toEqual([]);
    const { finishedAt } = await service.job(await run({ action: 'down', workdir }));
    const { startedAt } = await service.job(start);
    expect(await stopped()).toEqual([
      {
        workdir,
        workspace: null,
        host: null,
        cli: 'netlab',
        instance: 'default',
        owner: null,
        startJob: start,
        startedAt,
        stoppedAt: finishedAt,
        mayStart: true,
      },
    ]);
    const { id } = (await service.post(`/jobs/${start}/retry`)).json;
    expect(await service.ended(id)).toMatchObject({ state: 'success' });
    expect(await stopped()).toEqual([]);
    expect((await service.get('/labs/default')).status).toBe(200);
  });

  test('has a lab only while its topology is there', async () => {
    const { workdir } = service.ground;
    const file = path.join(workdir, 'topology.yml');
    writeFileSync(file, topologyThat());
    await run({ action: 'up', workdir });
    await run({ action: 'down', workdir });
    expect(await stopped()).toMatchObject([{ workdir }]);
    renameSync(file, `${file}.away`);
    expect(await stopped()).toEqual([]);
    await run({ action: 'up', workdir, topologyPath: 'topology.yml.away' });
    await run({ action: 'down', workdir });
    expect(await stopped()).toMatchObject([{ workdir }]);
    rmSync(workdir, { recursive: true });
    expect(await stopped()).toEqual([]);
  });

  test('has no lab of a workspace that was removed', async () => {
    await run({ action: 'up', workspace: 'course', topology: topologyThat() });
    await run({ action: 'down', workspace: 'course' });
    expect(await stopped()).toMatchObject([{ workspace: 'course' }]);
    expect((await service.request('/workspaces/course', { method: 'DELETE' })).status).toBe(204);
    expect(await stopped()).toEqual([]);
  });

  test('has the newest first, and no lab whose start failed, was a dry run, or whose directory has a job', async () => {
    const [first, second] = [service.ground.makeWorkdir('first'), service.ground.makeWorkdir('second')];
    const topology = topologyThat();
    for (const workdir of [first, second]) {
      await run({ action: 'up', workdir, topology });
      await run({ action: 'down', workdir });
    }
    const failed = service.ground.makeWorkdir('failed');
    await service.ended(
      await service.start({ action: 'up', workdir: failed, topology: topologyThat('exit 1') }),
    );
    for (const workdir of [service.ground.makeWorkdir('dry'), second])
      await run({ action: 'up', workdir, topology, dryRun: true });
    expect(await stopped()).toMatchObject([{ workdir: second }, { workdir: first }]);
    const again = await service.start({
      action: 'up',
      workdir: second,
      topology: topologyThat('wait_for go'),
    });
    await service.ground.waitsFor('go');
    expect(await stopped()).toMatchObject([{ workdir: first }]);
    service.ground.let('go');
    await service.ended(again);
  });

  test('has a lab that ended without a job, and does not know when', async () => {
    const { workdir } = service.ground;
    await run({ action: 'up', workdir, topology: topologyThat() });
    rmSync(path.join(service.ground.env['FAKE_LAB_STATE'] ?? '', 'instances/default'));
    const [lab] = await eventually('the lab to be missed', async () => {
      const labs = await stopped();
      return labs.length > 0 && labs;
    });
    expect(lab).toMatchObject({ workdir, stoppedAt: null });
  });
});
