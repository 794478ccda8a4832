import { expect, test } from '@jest/globals';
import { startService, topologyThat } from '../support/service.ts';

test('?instance= finds the jobs of a lab however their requests named it', async () => {
  const service = await startService();
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
