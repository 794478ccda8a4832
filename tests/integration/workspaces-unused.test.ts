/** The built service removes the workspaces that are unused, and no other, whatever ends it in between. */
import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freeInstanceNumber, lab, missingForAnyLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import type { Client } from '../support/client.ts';
import { makeGround, startProgram, topologyThat, type Ground } from '../support/service.ts';

const preload = path.join(__dirname, '..', 'fixtures', 'crash-at.cjs');
const env = { LAB_API_KEEP_WORKSPACES: '1s' };
const place = ({ dataDir }: Ground, ...names: readonly string[]): string =>
  path.join(dataDir, 'workspaces', ...names);

async function make(service: Client, name: string): Promise<void> {
  expect((await service.request(`/workspaces/${name}`, { method: 'PUT' })).status).toBeLessThan(300);
}

async function untilGone(service: Client, name: string): Promise<void> {
  await eventually(
    `${name} is removed`,
    async () => (await service.get(`/workspaces/${name}`)).status === 404,
  );
}

/** A workspace that is made now and goes: the service has looked at all the others twice meanwhile. */
async function untilOthersWouldBeGone(service: Client, name: string): Promise<void> {
  await make(service, name);
  await untilGone(service, name);
}

describe('a service that keeps workspaces for a second', () => {
  test('removes those without a lab or a job, and tells so', async () => {
    const service = await startProgram({ env });
    const body = { action: 'create', workspace: 'working', topology: topologyThat('wait_for go') };
    const id = await service.start(body);
    await service.ground.waitsFor('go');
    await untilOthersWouldBeGone(service, 'unused');
    const working = (await service.get('/workspaces/working')).json;
    expect(working).toMatchObject({ job: id, expiresAt: null });
    service.ground.let('go');
    await service.ended(id);
    await untilGone(service, 'working');
    expect(existsSync(place(service.ground, 'working'))).toBe(false);
    const uses = (): readonly string[] => readdirSync(place(service.ground, '.lab-api', 'uses'));
    await eventually('no use of a removed workspace is left', () => uses().length === 0);
    expect(service.run.output()).toMatch(/removed because it was unused.*workspace=unused/);
  });

  test.each(['before', 'after'])(
    'finishes what it began when it is killed %s the files are moved away',
    async (side) => {
      const ground = makeGround();
      const note = path.join(ground.root, 'note');
      const crash = {
        NODE_OPTIONS: `--require=${preload}`,
        CRASH_MARK: ground.root,
        CRASH_ONLY: '^rename .*workspaces/unused ',
        CRASH_AT: '1',
        CRASH_SIDE: side,
        CRASH_NOTE: note,
      };
      const killed = await startProgram({ ground, env: { ...env, ...crash } });
      await make(killed, 'unused');
      writeFileSync(place(ground, 'unused', 'file'), 'text');
      await killed.run.exit;
      expect(existsSync(note)).toBe(true);
      expect(existsSync(place(ground, 'unused', 'file'))).toBe(side === 'before');
      const next = await startProgram({ ground, env });
      await untilGone(next, 'unused');
      await eventually('nothing is left', () => readdirSync(place(ground, '.lab-api', 'trash')).length === 0);
    },
  );

  test('goes on keeping all of them without the setting', async () => {
    const ground = makeGround();
    const first = await startProgram({ ground });
    await make(first, 'kept');
    const { lastUsedAt, expiresAt } = (await first.get('/workspaces/kept')).json;
    expect(expiresAt).toBeNull();
    await first.end();
    const next = await startProgram({ ground });
    expect((await next.get('/workspaces/kept')).json.lastUsedAt).toBe(lastUsedAt);
  });
});

describe('a lab of the bundled engine', () => {
  const { because, home, it, takeDownLater } = preparedLabs({ missing: missingForAnyLabs() });
  const topology = 'defaults.device: linux\nnodes: [h1, h2]\nlinks: [h1-h2]\n';

  it(`keeps its workspace, whoever started it, until it is down${because}`, async () => {
    const service = await startProgram({ env: { ...env, LAB_API_CLI: 'engine', LAB_HOME: home } });
    const { ground } = service;
    const [byJob, inShell] = [freeInstanceNumber(), freeInstanceNumber()];
    const placeOf = (name: string) => ({ home, directory: place(ground, name) });
    takeDownLater({ where: placeOf('by-job'), instance: String(byJob) });
    takeDownLater({ where: placeOf('in-shell'), instance: String(inShell) });
    const up = { action: 'up', workspace: 'by-job', multilabId: byJob, topology };
    expect(await service.ended(await service.start(up))).toMatchObject({ state: 'success' });
    await make(service, 'in-shell');
    writeFileSync(
      place(ground, 'in-shell', 'topology.yml'),
      `${topology}defaults.multilab.id: ${inShell}\nplugin: [multilab]\n`,
    );
    expect(await lab(placeOf('in-shell'), ['up'])).toMatchObject({ exitCode: 0 });
    await untilOthersWouldBeGone(service, 'unused');
    const { workspaces } = (await service.get('/workspaces')).json;
    expect(workspaces).toMatchObject([
      { name: 'by-job', lab: String(byJob), expiresAt: null },
      { name: 'in-shell', lab: String(inShell), expiresAt: null },
    ]);
    expect(await lab(placeOf('in-shell'), ['down'])).toMatchObject({ exitCode: 0 });
    await untilGone(service, 'in-shell');
    const down = { action: 'down', workspace: 'by-job' };
    expect(await service.ended(await service.start(down))).toMatchObject({ state: 'success' });
    await untilGone(service, 'by-job');
  });
});
