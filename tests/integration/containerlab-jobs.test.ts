/** Jobs of the real containerlab that are killed, canceled or refused, and the labs of others. */
import { describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { actions } from '../../src/labs/model/actions.ts';
import { commandArguments, options, unsupported } from '../../src/labs/drivers/containerlab/arguments.ts';
import { cliOptions } from '../../src/labs/model/option-kinds.ts';
import { runCaptured } from '../../src/labs/system/run.ts';
import {
  byHand,
  containerlab,
  containersOf,
  docker,
  environment,
  gatedLab,
  images,
  openGateOf,
  runJob,
  smallLab,
  uniqueLab,
} from '../support/containerlab.ts';
import { eventually } from '../support/eventually.ts';
import { makeGround, processesOf, startProgram, type RunningProgram } from '../support/service.ts';

const { because, missing, file } = containerlab;
const it = missing === undefined ? test : test.skip;

const start = async (...[given = {}]: Parameters<typeof startProgram>) =>
  startProgram({ ...given, env: { ...environment, ...given.env } });

/** The lab has a container that runs, and `up` waits for it. */
const isHalfUp = async (service: RunningProgram, id: string, lab: string): Promise<unknown> =>
  eventually('the lab is half up', async () => {
    const { state, error } = await service.job(id);
    if (state === 'failed') throw new Error(String(error));
    const running = await docker('ps', '--filter', `label=containerlab=${lab}`, '--format', '{{.Names}}');
    return running !== '' && (await service.logText(id)).includes('Creating container');
  });

describe('in the middle of an up', () => {
  it(`kill -9 of the service: the next one comes back to the same job${because}`, async () => {
    const ground = makeGround();
    const lab = uniqueLab('kill');
    const workdir = ground.makeWorkdir('kill');
    const first = await start({ ground });
    const id = await first.start({ action: 'up', workdir, topology: gatedLab(lab) });
    await isHalfUp(first, id, lab);
    const half = await eventually('the lab is listed', async () => {
      const { status, json } = await first.get(`/labs/${lab}`);
      return status === 200 && json;
    });
    expect(half).toMatchObject({ name: lab, workdir, jobs: [id] });
    expect(await first.end('SIGKILL')).toBeNull();

    const second = await start({ ground });
    expect(second.run.output()).toMatch(/jobs of the last run queued=0 adopted=1 finished=0 interrupted=0/);
    expect(await second.job(id)).toMatchObject({ state: 'running' });
    await openGateOf(lab);
    expect(await second.ended(id)).toMatchObject({ state: 'success', exitCode: 0, error: null });
    expect((await second.get(`/labs/${lab}`)).json).toMatchObject({ state: 'started', workdir });
    expect((await runJob(second, { action: 'down', workdir, cleanup: true })).job).toMatchObject({
      state: 'success',
    });
    expect(await containersOf(lab)).toEqual([]);
  });

  it(`a cancel leaves what there is, and says what to do; with onCancel a down follows${because}`, async () => {
    const service = await start();
    const lab = uniqueLab('cancel');
    const workdir = service.ground.makeWorkdir('cancel');
    const canceled = async (more: object): Promise<Record<string, unknown>> => {
      const id = await service.start({ action: 'up', workdir, topology: gatedLab(lab), ...more });
      await isHalfUp(service, id, lab);
      await service.post(`/jobs/${id}/cancel`);
      const job = await service.ended(id);
      expect(job).toMatchObject({ state: 'canceled', leftovers: [] });
      expect(await processesOf(id)).toEqual([]);
      return job;
    };
    expect((await canceled({})).error).toContain('run "down" with "cleanup"');
    expect(await containersOf(lab)).not.toEqual([]);
    expect((await runJob(service, { action: 'down', workdir, cleanup: true })).job).toMatchObject({
      state: 'success',
    });

    const { cleanupJobId } = await canceled({ onCancel: 'down' });
    expect(await service.ended(String(cleanupJobId))).toMatchObject({ action: 'down', state: 'success' });
    expect(await containersOf(lab)).toEqual([]);
    expect(readdirSync(workdir)).toEqual([]);
  });
});

describe('a topology', () => {
  it.each(['as text', 'as an object'])(`given %s${because}`, async (form) => {
    const service = await start();
    const lab = uniqueLab('inline');
    const workdir = service.ground.makeWorkdir(lab);
    const topology = smallLab(lab);
    const given = form === 'as text' ? JSON.stringify(topology) : topology;
    const { job } = await runJob(service, { action: 'up', workdir, topology: given });
    expect(job).toMatchObject({ state: 'success', instance: lab });
    expect(await containersOf(lab)).toEqual([`clab-${lab}-h1`]);
    expect((await runJob(service, { action: 'down', instance: lab, cleanup: true })).job.state).toBe(
      'success',
    );
    expect(readdirSync(workdir)).toEqual([]);
    expect(existsSync(`/etc/ssh/ssh_config.d/clab-${lab}.conf`)).toBe(false);
  });

  it(`with an error fails with the sentence of containerlab, and leaves nothing${because}`, async () => {
    const service = await start();
    const lab = uniqueLab('wrong');
    const workdir = service.ground.makeWorkdir('wrong');
    const topology = { name: lab, topology: { nodes: { h1: { kind: 'lunix', image: images.host } } } };
    const { job } = await runJob(service, { action: 'up', workdir, topology });
    expect(job).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^Constructing node .*kind "lunix" is not supported/),
    });
    expect(job.error).not.toContain('half');
    expect(await containersOf(lab)).toEqual([]);
  });

  it(`that gives its lab no name is refused, and no lab is touched${because}`, async () => {
    const service = await start();
    const workdir = service.ground.makeWorkdir('unnamed');
    const topology = smallLab(undefined);
    const refused = { code: 'invalid-request' };
    expect((await service.post('/jobs', { action: 'up', workdir, topology })).json).toMatchObject(refused);
    writeFileSync(path.join(workdir, 'x.clab.yml'), JSON.stringify(topology));
    for (const action of ['up', 'create'])
      expect((await service.post('/jobs', { action, workdir })).json).toMatchObject(refused);
  });
});

describe('two labs of one name', () => {
  it(`in two directories: the second is refused, and queued at the same moment fails at its start${because}`, async () => {
    const service = await start();
    const lab = uniqueLab('twice');
    const [one, two] = [service.ground.makeWorkdir('one'), service.ground.makeWorkdir('two')];
    const requests = [one, two].map((workdir) => ({ action: 'up', workdir, topology: gatedLab(lab) }));
    const ids = await Promise.all(requests.map(async (body) => service.start(body)));
    const lost = await eventually('one has failed', async () => {
      const jobs = await Promise.all(ids.map(async (id) => service.job(id)));
      return jobs.find(({ state }) => state === 'failed');
    });
    const won = ids.find((id) => id !== lost.id) ?? '';
    expect(lost.error).toMatch(
      new RegExp(`another job is at work on a lab "${lab}" in another directory: one lab has a name`),
    );
    await isHalfUp(service, won, lab);
    await openGateOf(lab);
    expect(await service.ended(won)).toMatchObject({ state: 'success' });

    const again = await service.post('/jobs', {
      action: 'up',
      workdir: lost.workdir,
      topology: smallLab(lab),
    });
    expect(again).toMatchObject({ status: 409, json: { code: 'conflict' } });
    expect(again.json.error).toContain(`a lab "${lab}" runs in `);
    expect(await containersOf(lab)).toEqual([`clab-${lab}-h1`]);
    const { job } = await runJob(service, { action: 'down', instance: lab, cleanup: true });
    expect(job).toMatchObject({ state: 'success' });
    expect(job.workdir).not.toBe(lost.workdir);
  });
});

describe('the lab of somebody else', () => {
  it(`that was started by hand is listed at once, and its end too${because}`, async () => {
    // What is kept would be good for an hour: only what changes on the machine can tell.
    const service = await start({ env: { LAB_API_STATUS_MAX_AGE: '1h' } });
    const lab = uniqueLab('hand');
    const workdir = service.ground.makeWorkdir('hand');
    writeFileSync(path.join(workdir, 'x.clab.yml'), JSON.stringify(smallLab(lab)));
    const ids = async (): Promise<unknown[]> =>
      (await service.get('/labs')).json.labs.map(({ id }: { id: string }) => id);
    expect(await ids()).not.toContain(lab);
    await byHand(workdir, 'deploy', '--topo', 'x.clab.yml');
    expect(await ids()).toContain(lab);
    await byHand(workdir, 'destroy', '--topo', 'x.clab.yml', '--cleanup');
    expect(await ids()).not.toContain(lab);
  });

  it(`is not reached by a command, whatever the names of its nodes${because}`, async () => {
    const service = await start();
    const [mine, other] = [uniqueLab('mine'), uniqueLab('other')];
    for (const lab of [mine, other]) {
      const workdir = service.ground.makeWorkdir(lab);
      expect((await runJob(service, { action: 'up', workdir, topology: smallLab(lab) })).job.state).toBe(
        'success',
      );
    }
    for (const nodes of [['h1'], ['*']]) {
      const { job, log } = await runJob(service, {
        action: 'exec',
        instance: mine,
        nodes,
        command: ['hostname'],
      });
      expect(job.result.nodes).toMatchObject([{ node: 'h1', output: 'h1\n' }]);
      expect(log).not.toContain(other);
    }
    // Who has a directory may give it any files.
    const empty = service.ground.makeWorkdir('empty');
    mkdirSync(path.join(empty, `clab-${other}`));
    for (const action of ['down', 'restart', 'collect'])
      expect(await service.post('/jobs', { action, workdir: empty })).toMatchObject({ status: 409 });
    for (const lab of [mine, other])
      expect((await runJob(service, { action: 'down', instance: lab, cleanup: true })).job.state).toBe(
        'success',
      );
  });

  it(`that netlab started is left to netlab${because}`, async () => {
    const service = await start();
    const lab = uniqueLab('netlab');
    const workdir = service.ground.makeWorkdir('netlab');
    // What `netlab up` leaves beside the topology that it makes (netsim/cli/up.py).
    writeFileSync(path.join(workdir, 'clab.yml'), JSON.stringify(smallLab(lab)));
    writeFileSync(path.join(workdir, 'netlab.snapshot.pickle'), '');
    await byHand(workdir, 'deploy', '--topo', 'clab.yml');
    for (const where of [{ workdir }, { instance: lab }]) {
      const reply = await service.post('/jobs', { action: 'down', ...where });
      expect(reply).toMatchObject({ status: 409, json: { code: 'conflict' } });
      expect(reply.json.error).toContain('was started by netlab');
    }
    expect(await containersOf(lab)).toEqual([`clab-${lab}-h1`]);
    await byHand(workdir, 'destroy', '--topo', 'clab.yml', '--cleanup');
  });
});

describe('the nodes of a lab', () => {
  it(`that do not run are down, and a command does not succeed in them${because}`, async () => {
    const service = await start();
    const lab = uniqueLab('stopped');
    const workdir = service.ground.makeWorkdir('stopped');
    const topology = { name: lab, topology: { nodes: {} as Record<string, object> } };
    for (const name of ['h1', 'h2']) topology.topology.nodes[name] = { kind: 'linux', image: images.host };
    expect((await runJob(service, { action: 'up', workdir, topology })).job.state).toBe('success');
    await docker('stop', '--timeout', '0', `clab-${lab}-h2`);
    const { json } = await service.get(`/labs/${lab}`, { 'Cache-Control': 'no-cache' });
    expect(json.nodes).toMatchObject([
      { name: 'h1', state: 'up' },
      { name: 'h2', state: 'down' },
    ]);
    const { job } = await runJob(service, { action: 'exec', workdir, nodes: ['*'], command: ['hostname'] });
    expect(job).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('nothing was executed in h2, which must run first'),
    });
    expect((await runJob(service, { action: 'down', workdir, cleanup: true })).job.state).toBe('success');
  });
});

describe('the arguments', () => {
  const samples = new Map<string, unknown>([
    ['flag', true],
    ['list', ['h1']],
    ['command', ['true']],
    ['number', 3],
  ]);
  const known = actions.filter((action) => !(action in unsupported));

  it.each(known)(`of %s with each of its options are understood${because}`, async (action) => {
    for (const name of options[action]) {
      const args = commandArguments({
        action,
        options: { [name]: samples.get(cliOptions[name].kind) ?? '/nonexistent/x' },
        topologyFile: ['up', 'create'].includes(action) ? '/nonexistent/x.clab.yml' : undefined,
        labName: undefined,
        instance: 'ct-nobody',
        labFile: undefined,
        isListed: true,
      });
      const env = { ...process.env, CLAB_VERSION_CHECK: 'disable' } as Record<string, string>;
      const { stdout, stderr } = await runCaptured(file, args, { env, timeoutMs: 30_000 });
      // What it says of a flag or a value that it does not know.
      const text = `${stdout.toString('utf8')}${stderr.toString('utf8')}`;
      expect([name, /unknown (?:short)?hand|unknown flag|invalid/i.exec(text)?.[0]]).toEqual([
        name,
        undefined,
      ]);
      expect(text).not.toBe('');
    }
  });
});
