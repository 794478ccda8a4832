/** What another lab CLI takes: a folder below labs/drivers, and its line in the list of drivers. */
import { beforeAll, expect, test } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PlantedSource, plantedFixture } from '../support/planted-source.ts';
import { makeGround, startProgram, type RunningProgram } from '../support/service.ts';

const source = new PlantedSource();
const ground = makeGround();
const home = ground.env['HOME'] ?? '';
let service: RunningProgram;

beforeAll(async () => {
  for (const file of ['rival.ts', 'rival-status.ts'])
    source.addFile(path.join('labs/drivers/rival', file), 'rival', `${file}.txt`);
  source.insertBefore('labs/drivers/drivers.ts', 'import {', "import { rival } from './rival/rival.ts';\n");
  source.insertBefore('labs/drivers/drivers.ts', ', engine]', ', rival');
  const { program, problems } = source.build();
  expect(problems).toBe('');
  const PATH = `${plantedFixture('rival')}:${ground.env['PATH']}`;
  service = await startProgram({ program, ground, env: { PATH, LAB_API_CLI: 'rival' } });
});

/** A directory with a topology where this lab CLI looks for one. */
function workdirOf(lab: string, extra = ''): string {
  const workdir = ground.makeWorkdir(lab);
  writeFileSync(path.join(workdir, 'course.rival.yml'), `lab: ${lab}\nmachines: [a, b, c]\n${extra}`);
  return workdir;
}

test('its name finds its program, which tells its version in its own way', async () => {
  await service.run.prints(/lab CLI found cli=rival version=7\.1 /);
});

test('a job has its verbs, flags and topology files', async () => {
  const workdir = workdirOf('alpha');
  const job = await service.ended(await service.start({ action: 'up', workdir, device: 'frr' }));
  expect(job).toMatchObject({ state: 'success', error: null });
  expect(job.command).toEqual([
    plantedFixture('rival', 'rival'),
    'deploy',
    '--kind',
    'frr',
    '--topo',
    path.join(workdir, 'course.rival.yml'),
  ]);
  expect(await service.logText(job.id)).toBe('every node is a frr\ndeployed alpha\n');
});

test('its documents are the status, and tell where its labs live', async () => {
  const workdir = workdirOf('beta');
  await service.ended(await service.start({ action: 'up', workdir }));
  const beta = { id: 'beta', folder: workdir };
  expect((await service.get('/status')).json.labs).toContainEqual(beta);
  expect((await service.get('/status/beta')).json).toEqual({ labs: [beta] });
  expect((await service.get('/status/gamma')).json).toMatchObject({ code: 'instance-not-found' });

  writeFileSync(path.join(workdir, 'keep'), '');
  const kept = await service.ended(await service.start({ action: 'down', instance: 'beta' }));
  expect(kept).toMatchObject({ state: 'failed', error: `rival still has a lab in ${workdir}` });
  expect(kept.command.slice(1)).toEqual(['destroy', '--lab', 'beta']);
});

test('its words say why a job failed', async () => {
  const workdir = workdirOf('delta', 'broken: true\n');
  const job = await service.ended(await service.start({ action: 'up', workdir }));
  expect(job).toMatchObject({
    state: 'failed',
    exitCode: 3,
    error: 'rival broke in "deploy" (3): there is no such image',
  });
});

test('its places are named to whoever gives no topology', async () => {
  const workdir = ground.makeWorkdir('empty');
  const reply = await service.post('/jobs', { action: 'up', workdir });
  expect(reply).toMatchObject({ status: 400, json: { code: 'invalid-request' } });
  expect(reply.text).toContain(`${workdir} has none of *.rival.yml`);
});

test('its topologies are the templates', async () => {
  const dir = workdirOf('library');
  writeFileSync(path.join(dir, 'topology.yml'), 'nodes: [a]\n');
  const { json } = await service.get(`/templates?dir=${dir}`);
  expect(json.templates).toHaveLength(1);
  expect(json.templates[0]).toMatchObject({
    name: 'course.rival.yml',
    title: 'library',
    nodes: 3,
    valid: true,
  });
});

test('a change of its state file makes the status stale', async () => {
  const before = await service.get('/status');
  mkdirSync(path.join(home, '.rival'), { recursive: true });
  writeFileSync(path.join(home, '.rival', 'elsewhere'), '/labs/elsewhere\n');
  const after = await service.get('/status');
  expect(before.text).not.toContain('elsewhere');
  expect(after.json.labs).toContainEqual({ id: 'elsewhere', folder: '/labs/elsewhere' });
});
