/** The built service in front of the bundled engine: real jobs, real namespaces, and what people do beside it. */
import { describe, expect } from '@jest/globals';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  freeInstanceNumber,
  lab,
  leftovers,
  missingForAnyLabs,
  uniqueInstance,
} from '../support/engine-cli.ts';
import { routerLine } from '../support/engine-lab.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { bareShell } from '../support/remote-lab.ts';
import {
  makeGround,
  processesOf,
  runProgram,
  startProgram,
  type RunningProgram,
} from '../support/service.ts';

const { because, home, it, placed, root, takeDownLater } = preparedLabs({ missing: missingForAnyLabs() });

/** A directory for a lab that is taken down when the file is done, whatever its test did. */
function prepared(label: string) {
  const id = freeInstanceNumber();
  const where = { home, directory: path.join(root, `${label}-${id}`) };
  mkdirSync(where.directory);
  takeDownLater({ where, instance: String(id) });
  return { id, instance: String(id), where, workdir: where.directory };
}

/** So many nodes that an `up` takes seconds; the routes of a line grow with the square of it. */
const size = 250;

/** A line of routers as a snapshot in its directory. */
function preparedLine(label: string, length: number) {
  const instance = uniqueInstance(label);
  const where = placed(routerLine(length, instance));
  return { instance, where, workdir: where.directory };
}

const withoutNetlab = (process.env['PATH'] ?? '')
  .split(':')
  .filter((directory) => !existsSync(path.join(directory, 'netlab')))
  .join(':');

const environment = { LAB_API_CLI: 'auto', PATH: withoutNetlab, LAB_HOME: home, LAB_API_CANCEL_GRACE: '20s' };

async function engineService(env: Record<string, string> = {}): Promise<RunningProgram> {
  return startProgram({ env: { ...environment, ...env } });
}

/** Runs a job to its end; the log is what a follower saw. */
async function run(service: RunningProgram, body: Readonly<Record<string, unknown>>) {
  const id = await service.start(body);
  const { text } = await service.get(`/jobs/${id}/log?follow=true`);
  return { job: await service.ended(id), log: text };
}

const yaml = `
defaults.device: linux
nodes: { h1: , r1: { role: router }, h2: }
links: [ h1-r1, r1-h2 ]
`;

describe('the round over HTTP', () => {
  it(`of a topology as YAML text: up, status, collect, down${because}`, async () => {
    const service = await engineService();
    const { id, instance, where, workdir } = prepared('yaml');
    const up = { action: 'up', workdir, multilabId: id, topology: yaml };
    const first = await run(service, up);
    expect(first.job).toMatchObject({ state: 'success', exitCode: 0, error: null });
    expect(first.log).toMatch(/^Creating 3 nodes\nCreating 2 links\nConfiguring 3 nodes\nLab \d+ is up: /);

    expect((await service.get('/status')).json[instance]).toMatchObject({ dir: workdir, status: 'started' });
    expect((await service.get('/status?output=text')).text).toMatch(
      new RegExp(`│ ${id} +│ ${workdir} │ started`),
    );
    expect((await service.get(`/status/${id}`)).json.nodes).toMatchObject({
      h1: { status: 'Up', mgmt: '172.16.0.1', provider_name: `lab-${id}-h1` },
      r1: { status: 'Up' },
      h2: { status: 'Up' },
    });
    expect((await service.get(`/status/${id}?output=text`)).text).toMatch(/│ r1 +│ linux .* Up +│/);
    const status = await run(service, { action: 'status', instance: id });
    expect(status).toMatchObject({ job: { state: 'success' }, log: expect.stringContaining(`lab-${id}-h2`) });

    const again = await run(service, up);
    expect(again.log).toContain(`Lab ${id} is already up: starting it again, 3 old nodes removed\n`);
    expect(again.job).toMatchObject({ state: 'success' });

    const collect = { action: 'collect', instance: id, collectOutput: 'saved', collectTar: 'saved.tar' };
    expect((await run(service, collect)).job).toMatchObject({ state: 'success', workdir });
    expect(readdirSync(path.join(workdir, 'saved'))).toContain('r1.cfg');
    expect((await run(service, { action: 'collect', workdir })).job).toMatchObject({ state: 'success' });
    expect(readFileSync(path.join(workdir, 'config/h1.cfg'), 'utf8')).toContain('172.16.0.1/24');

    const { text: configuration, status: code } = await service.get(`/labs/${id}/nodes/h1/configuration`);
    expect([code, configuration]).toEqual([
      200,
      expect.stringMatching(/^! node h1,[^]* address 172.16.0.1\/24/),
    ]);
    const printed = runProgram(['configuration', instance, 'h1'], { ...bareShell, LAB_API_URL: service.url });
    expect(await printed.exit).toBe(0);
    expect(printed.output()).toMatch(/^! node h1,[^]* address 172.16.0.1\/24/);

    const down = await run(service, { action: 'down', instance: id, cleanup: true });
    expect(down).toMatchObject({
      job: { state: 'success', workdir },
      log: expect.stringContaining('is down'),
    });
    expect(leftovers(where, instance)).toEqual([]);
    expect(readdirSync(workdir).toSorted()).toEqual(['saved', 'saved.tar']);
    expect((await service.get(`/status/${id}`)).status).toBe(404);
  });
});

it(`the error of a broken topology is the cause, with its place in the file${because}`, async () => {
  const service = await engineService();
  const { workdir } = prepared('broken');
  const topology = 'nodes: [a, b]\nlinks: [a-x]\n';
  mkdirSync(path.join(workdir, 'netlab'));
  writeFileSync(path.join(workdir, 'netlab/topology.yml'), topology);
  const failed = { state: 'failed', exitCode: 1, command: expect.arrayContaining(['create']) };
  const cause = 'topology.yml:2:9: links[1]: there is no node "x"';
  const create = { action: 'create', workdir };
  const ofText = await run(service, { ...create, topology: `${topology}bogus: 1\n` });
  expect(ofText.job).toMatchObject({ ...failed, error: `${cause}; and 1 more error` });
  expect((await run(service, create)).job).toMatchObject({ ...failed, error: `netlab/${cause}` });
});

describe('a lab whose directory is gone', () => {
  it.each(['instance', 'workdir'])(`is stopped by its %s${because}`, async (by) => {
    const service = await engineService();
    const { id, instance, workdir } = prepared(`gone-by-${by}`);
    await run(service, { action: 'up', workdir, multilabId: id, topology: yaml });
    rmSync(workdir, { recursive: true });
    const named = by === 'workdir' ? { workdir } : { instance };
    const { job, log } = await run(service, { action: 'down', cleanup: true, ...named });
    expect(log).toMatch(/^Lab \d+ is down: 3 nodes removed/m);
    expect(job).toMatchObject({ state: 'success', workdir, instance });
    expect(job.warnings.join()).toContain('is gone: the lab is stopped without its files');
    expect((await service.get(`/status/${id}`)).status).toBe(404);
    expect(existsSync(workdir)).toBe(false);
    const again = await service.post('/jobs', { action: 'down', workdir });
    expect(again).toMatchObject({ status: 404, json: { code: 'workdir-not-found' } });
  });
});

describe('a lab that somebody starts by hand', () => {
  it.each(['LAB_HOME', 'HOME'])(
    `shows in the next status, and its end too (state by %s)${because}`,
    async (by) => {
      const person = path.join(root, `person-${by}`);
      mkdirSync(person);
      const { id, instance, workdir } = prepared('by-hand');
      const where = { home: by === 'HOME' ? path.join(person, '.lab') : person, directory: workdir };
      takeDownLater({ where, instance });
      const env = by === 'HOME' ? { HOME: person, LAB_HOME: '' } : { LAB_HOME: person };
      // What is kept would be good for an hour: only a look at the state file can tell that it is not.
      const service = await engineService({ ...env, LAB_API_STATUS_MAX_AGE: '1h' });
      const labs = async () => Object.keys((await service.get('/status')).json);
      expect(await labs()).toEqual(['warning']);

      cpSync('examples/two-hosts', workdir, { recursive: true });
      const own = ['--plugin', 'multilab', '--set', `defaults.multilab.id=${id}`];
      expect(await lab(where, ['up', 'topology.yml', ...own])).toMatchObject({ exitCode: 0 });
      expect(await labs()).toEqual([instance]);
      expect((await service.get(`/status/${id}`)).json).toMatchObject({
        status: 'started',
        nodes: { h1: {} },
      });
      expect(await lab(where, ['down'])).toMatchObject({ exitCode: 0 });
      expect(await labs()).toEqual(['warning']);
    },
  );
});

describe('in the middle of an up', () => {
  const isBuilding = async (service: RunningProgram, id: string): Promise<unknown> =>
    eventually('links are made', async () => /Creating \d+ links/.test(await service.logText(id)));

  it.each([
    { what: 'undoes what there is of the lab', force: false },
    { what: 'by force leaves half a lab, and says what removes it', force: true },
  ])(
    `a cancel of ${size} nodes $what${because}`,
    async ({ force }) => {
      const service = await engineService();
      const { instance, where, workdir } = preparedLine('big', size);
      const id = await service.start({ action: 'up', workdir, snapshot: true });
      await isBuilding(service, id);
      await service.post(`/jobs/${id}/cancel`, { force });
      expect(await service.ended(id)).toMatchObject({
        state: 'canceled',
        leftovers: [],
        // Where nothing is left there is nothing to take down.
        error: force
          ? 'canceled; the lab may be half started: run "down" with "cleanup" in this directory'
          : 'canceled',
      });
      expect(await processesOf(id)).toEqual([]);
      const left = leftovers(where, instance);
      expect(left.length > 0).toBe(force);
      if (force) expect((await service.get('/status')).json[instance]).toMatchObject({ status: 'starting' });

      const down = await run(service, { action: 'down', workdir, cleanup: true });
      expect(down.job).toMatchObject({ state: 'success' });
      expect(leftovers(where, instance)).toEqual([]);
      expect(readdirSync(workdir)).toEqual([]);
    },
    120_000,
  );

  const signalAll = (pids: readonly number[], signal: NodeJS.Signals): void => {
    for (const pid of pids)
      try {
        process.kill(pid, signal);
      } catch {
        // It ran for a moment only.
      }
  };

  it(`kill -9 of the service: the next one adopts the job, its log and its end${because}`, async () => {
    const ground = makeGround();
    const first = await startProgram({ ground, env: environment });
    const { instance, where, workdir } = preparedLine('adopted', size);
    const id = await first.start({ action: 'up', workdir, snapshot: true });
    await isBuilding(first, id);
    // A busy machine may build the rest faster than it starts a service.
    const held = await processesOf(id);
    signalAll(held, 'SIGSTOP');
    expect(await first.end('SIGKILL')).toBeNull();

    const second = await startProgram({ ground, env: environment });
    signalAll(held, 'SIGCONT');
    expect(second.run.output()).toMatch(/jobs of the last run queued=0 adopted=1 finished=0 interrupted=0/);
    const { text } = await second.get(`/jobs/${id}/log?follow=true`);
    // How far it is, a line a second: as many as the machine needs seconds.
    expect(text.replaceAll(/^\w+ (?:nodes|links): \d+ of \d+\n/gm, '')).toMatch(
      new RegExp(
        `^Creating ${size} nodes\nCreating ${size - 1} links\nConfiguring ${size} nodes\nLab \\w+ is up: .*\n$`,
      ),
    );
    expect(await second.ended(id)).toMatchObject({ state: 'success', exitCode: 0, error: null });
    expect((await second.get(`/status/${instance}`)).json).toMatchObject({ status: 'started' });
    expect((await run(second, { action: 'down', instance })).job).toMatchObject({ state: 'success' });
    expect(leftovers(where, instance)).toEqual([]);
  }, 120_000);
});
