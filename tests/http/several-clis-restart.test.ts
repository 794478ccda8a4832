/** What becomes of the jobs of a lab CLI that is none of the service's any more. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { fixtureProgram } from '../support/programs.ts';
import { makeGround, startService, type Ground, type RunningService } from '../support/service.ts';

const clis = [fixtureProgram('fake-netlab'), fixtureProgram('fake-clab/containerlab')];

let ground: Ground;
let service: RunningService;
/** With a topology of containerlab. */
let workdir = '';

beforeEach(async () => {
  ground = makeGround();
  service = await startService({ ground, env: { LAB_API_CLI: undefined, LAB_API_CLIS: clis.join(',') } });
  workdir = ground.makeWorkdir('of-containerlab');
  writeFileSync(path.join(workdir, 'one.clab.yml'), 'name: one\ntopology: { nodes: { h1: {} } }\n');
});
afterEach(async () => service.stop());

async function run(body: Readonly<Record<string, unknown>>) {
  return service.ended(await service.start(body));
}

describe('after a restart with other settings', () => {
  const netlabOnly = { LAB_API_CLI: clis[0], LAB_API_CLIS: undefined };
  const restart = async (): Promise<void> => {
    await service.stop();
    service = await startService({ ground, env: netlabOnly });
  };

  test('a job of a lab CLI that is gone is told as it was, and not run again', async () => {
    const broken = ground.makeWorkdir('broken');
    writeFileSync(path.join(broken, 'x.clab.yml'), 'name: x\n# run: fatal "no such image"\n');
    const up = await run({ action: 'up', cli: 'containerlab', workdir: broken });
    expect(up).toMatchObject({ state: 'failed', mayHaveLeftLab: true });
    await restart();
    expect(await service.job(String(up.id))).toMatchObject({
      cli: 'containerlab',
      state: 'failed',
      error: up.error,
    });
    expect(await service.post(`/jobs/${up.id}/retry`)).toMatchObject({
      status: 503,
      json: { code: 'lab-cli-missing', error: expect.stringContaining('add it to LAB_API_CLIS') },
    });
  });

  test('a job that ran meanwhile is judged by the lab CLI that it was accepted for', async () => {
    writeFileSync(
      path.join(workdir, 'one.clab.yml'),
      'name: one\n# run: until [ -e "$FAKE_LAB_STATE/go" ]; do sleep 0.05; done; fatal "no such image"\n',
    );
    const asked = { action: 'up', cli: 'containerlab', workdir, onFailure: 'down' };
    const id = await service.start(asked);
    const waiting = await service.start({ action: 'up', cli: 'containerlab', workdir });
    await eventually(
      'the lab is being made',
      async () => (await service.logText(id)).includes('Creating lab') || undefined,
    );
    await restart();
    ground.let('go');
    const ended = await service.ended(id);
    expect(ended).toMatchObject({
      state: 'failed',
      cli: 'containerlab',
      mayHaveLeftLab: true,
      cleanupJobId: null,
    });
    expect(ended.error).toMatch(/^containerlab up failed with exit code 1: no such image; /);
    expect(await service.ended(waiting)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('"containerlab" is none of the lab CLIs of this server any more'),
    });
  });
});
