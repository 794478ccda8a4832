/** A service of root whose jobs are another user's: what they can do, and what they cannot. */
import { describe, expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tarGzOf } from '../support/archives.ts';
import { freeInstanceNumber } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import {
  authorization,
  canary,
  makeOwnGround,
  missingForJobUser,
  run,
  startAs,
  uid,
} from '../support/job-user.ts';
import { fixtureProgram, writeProgram } from '../support/programs.ts';
import { testUnless } from '../support/requirements.ts';
import { missingForRootless } from '../support/rootless.ts';
import { processesOf, topologyThat } from '../support/service.ts';
import { TerminalClient } from '../support/terminal-client.ts';

const { because, it } = testUnless(missingForJobUser);
const missingForLabs = missingForJobUser ?? missingForRootless();
const { because: becauseOfLabs, it: itWithLabs } = testUnless(missingForLabs);

async function startOwn(env: Record<string, string> = {}) {
  const own = makeOwnGround();
  return { ...own, service: await startAs(own, env) };
}

describe('a job', () => {
  it(`is the user's, has no rights of root's, and reads its topology${because}`, async () => {
    const { ground, home, service } = await startOwn({ XDG_RUNTIME_DIR: '/run/user/0' });
    const look =
      'id -u; id -g; echo "$HOME $USER $LOGNAME [$XDG_RUNTIME_DIR]"; grep ^Cap[PIEA] /proc/self/status';
    const { log, job } = await run(service, {
      action: 'up',
      workdir: ground.workdir,
      topology: topologyThat(look),
    });
    expect(job).toMatchObject({
      state: 'success',
      command: [ground.env['LAB_API_CLI'], 'up', expect.anything()],
    });
    expect(log).toContain(`${uid}\n${uid}\n${home} labs labs []\n`);
    expect(log.match(/^Cap\w+:\s+0+$/gm)).toHaveLength(4);
  });

  it(`and a check of a topology are the user's, which finds its files and no others${because}`, async () => {
    const { ground, service } = await startOwn();
    await service.request('/workspaces/course', { method: 'PUT' });
    await service.request('/workspaces/course/files/own.yml', { method: 'PUT', body: 'own' });
    const { dataDir } = ground;
    const script = [
      `[ "$(id -u) $(cat own.yml)" = "${uid} own" ] || exit 1`,
      'touch made || exit 2',
      `for one in ${dataDir} ${dataDir}/checks ${dataDir}/jobs; do ls $one && exit 3; done`,
      `grep -r ${canary} /proc/self/environ ../.. && exit 4`,
    ];
    const body = { topology: topologyThat(...script), workspace: 'course' };
    const checked = await service.request('/topologies/check', { method: 'POST', body });
    expect(checked.json).toMatchObject({ valid: true, problems: [] });
  });

  it(`reads all that a copy of a template has, or there is no copy${because}`, async () => {
    const { ground, service } = await startOwn();
    const directory = ground.makeWorkdir('course');
    const template = path.join(directory, 'lab.yml');
    writeFileSync(template, topologyThat('cat notes.txt'));
    writeFileSync(path.join(directory, 'notes.txt'), 'own');
    const copy = async () => service.request(`/workspaces/copy?template=${template}`, { method: 'PUT' });
    const refusals: string[] = [];
    for (const closed of [path.join(directory, 'notes.txt'), directory, path.dirname(directory)]) {
      const { mode } = statSync(closed);
      chmodSync(closed, 0o600);
      const reply = await copy();
      chmodSync(closed, mode);
      refusals.push(`${reply.status} ${reply.json.detail}`);
    }
    const why = 'cannot be read by the user of jobs (LAB_API_JOB_USER); check its permissions';
    const expected = ['notes.txt', directory, path.dirname(directory)];
    expect(refusals).toEqual(expected.map((name) => `400 template: "${name}" ${why}`));
    expect((await copy()).status).toBe(201);
    const { log } = await run(service, { action: 'up', workspace: 'copy', topologyPath: 'lab.yml' });
    expect(log).toContain('own');
  });

  it(`reads nothing else of what the service keeps, and cannot signal it${because}`, async () => {
    const { ground, service } = await startOwn();
    const other = await run(service, { action: 'create', workdir: ground.workdir, topology: topologyThat() });
    const { dataDir } = ground;
    const files = [
      'owner.json',
      'jobs/$LAB_JOB_ID/job.json',
      'jobs/$LAB_JOB_ID/log',
      `jobs/${other.id}/job.json`,
      `jobs/${other.id}/log`,
    ];
    const environs = [service.run.child.pid, '$PPID'].map((pid) => `/proc/${pid}/environ`);
    const tries = [
      ...[...files.map((file) => `${dataDir}/${file}`), ...environs].map((file) => `cat ${file}`),
      ...['', '/jobs', '/jobs/$LAB_JOB_ID'].map((place) => `ls ${dataDir}${place}`),
      ...['', '/jobs', '/jobs/$LAB_JOB_ID'].map((place) => `touch ${dataDir}${place}/planted`),
      `: >>${dataDir}/jobs/$LAB_JOB_ID/topology.yml`,
      `kill -9 ${service.run.child.pid}`,
      'kill -9 $PPID',
    ];
    const script = tries.map((one) => `(${one}) >/dev/null 2>&1 && echo "DID ${one}"`);
    const { log } = await run(service, {
      action: 'up',
      workdir: ground.workdir,
      topology: topologyThat(...script, 'env', 'echo "at the end"'),
    });
    expect(log).toContain('at the end');
    expect(log).not.toContain('DID');
    expect(log).not.toContain(canary);
  });

  it(`cannot have a program run that the user may not run, nor can a status${because}`, async () => {
    const own = makeOwnGround();
    const secret = path.join(own.ground.root, 'secret');
    mkdirSync(secret, { mode: 0o700 });
    const cli = path.join(secret, 'netlab');
    writeFileSync(cli, readFileSync(fixtureProgram('fake-netlab')), { mode: 0o755 });
    const service = await startAs(own, { LAB_API_CLI: cli });
    const body = { action: 'up', workdir: own.ground.workdir, topology: topologyThat() };
    const { job, log } = await run(service, body);
    expect(job).toMatchObject({ state: 'failed', exitCode: 126 });
    expect(log).toMatch(/^lab: .*Permission denied\n$/);
    expect((await service.get('/status')).status).toBe(502);
  });

  it(`has its shim take no program from where the user could put one${because}`, async () => {
    const own = makeOwnGround();
    const who = path.join(own.home, 'who');
    const planted = path.dirname(
      writeProgram(path.join(own.home, 'bin/mv'), `id -u >>${who}\nexec /bin/mv "$@"`),
    );
    const service = await startAs(own, { PATH: `${planted}:${own.ground.env['PATH']}` });
    const topology = topologyThat('touch a; mv a b');
    const { job } = await run(service, { action: 'up', workdir: own.ground.workdir, topology });
    expect(job).toMatchObject({ state: 'success' });
    expect(readFileSync(who, 'utf8')).toBe(`${uid}\n`);
  });

  it.each([
    { signal: 'SIGINT', ignored: '' },
    { signal: 'SIGTERM', ignored: 'INT' },
    { signal: 'SIGKILL', ignored: 'INT TERM' },
  ])(`is ended by $signal, with what escaped from it${because}`, async ({ signal, ignored }) => {
    const { ground, service } = await startOwn();
    const trap = ignored === '' ? '' : `trap "" ${ignored}; `;
    const script = `${trap}setsid sleep 1000 & echo waits; exec sleep 1000`;
    const id = await service.start({ action: 'up', workdir: ground.workdir, topology: topologyThat(script) });
    await eventually('it waits', async () => (await service.logText(id)).includes('waits'));
    await service.post(`/jobs/${id}/cancel`);
    expect(await service.ended(id)).toMatchObject({ state: 'canceled', leftovers: [], signal });
    expect(await processesOf(id)).toEqual([]);
  });

  it(`is found again after the service was killed${because}`, async () => {
    const own = makeOwnGround();
    const first = await startAs(own);
    const [ends, stays] = [own.ground.makeWorkdir('ends'), own.ground.makeWorkdir('stays')];
    for (const directory of [ends, stays]) chownSync(directory, uid, uid);
    const ended = await first.start({
      action: 'up',
      workdir: ends,
      topology: topologyThat('wait_for go', 'exit 7'),
    });
    const stayed = await first.start({
      action: 'up',
      workdir: stays,
      topology: topologyThat('wait_for stay'),
    });
    // One that is killed before its lab CLI began is queued again.
    await own.ground.waitsFor('go');
    await own.ground.waitsFor('stay');
    await first.end('SIGKILL');
    own.ground.let('go');
    const second = await startAs(own);
    expect(await second.ended(ended)).toMatchObject({ state: 'failed', exitCode: 7 });
    expect(await second.job(stayed)).toMatchObject({ state: 'running' });
    await second.post(`/jobs/${stayed}/cancel`);
    expect(await second.ended(stayed)).toMatchObject({ state: 'canceled', leftovers: [] });
  });

  it(`serves no file of root's that it puts in the place of its own${because}`, async () => {
    const { ground, service } = await startOwn();
    const secret = path.join(ground.root, 'secret');
    writeFileSync(secret, canary, { mode: 0o600 });
    const script = [
      `ln -s ${secret} a.json`,
      `ln ${secret} b.json 2>/dev/null`,
      'mkfifo c.json',
      'echo {} >d.json',
    ];
    const output = ['json=a.json', 'json=b.json', 'json=c.json', 'json=d.json'];
    const { id } = await run(service, {
      action: 'create',
      workdir: ground.workdir,
      output,
      topology: topologyThat(...script),
    });
    const { artifacts } = (await service.get(`/jobs/${id}/artifacts`)).json;
    expect(artifacts.map((one: { path: string }) => one.path)).toEqual(['d.json']);
    for (const name of ['a.json', 'b.json', 'c.json'])
      expect((await service.get(`/jobs/${id}/artifacts/${name}`)).status).toBe(404);
  });
});

describe('a workspace', () => {
  it(`that is uploaded, made or written to is the user's${because}`, async () => {
    const { ground, service } = await startOwn();
    const put = async (target: string, body: string | Buffer, type: string): Promise<number> =>
      (
        await service.request(`/workspaces/${target}`, {
          method: 'PUT',
          body,
          headers: { 'content-type': type },
        })
      ).status;
    const topology = topologyThat('echo more >>old', 'echo new >new', 'mkdir -p below/by-job');
    const archive = tarGzOf(
      { name: 'old', content: 'old' },
      { name: 'below/', type: '5' },
      { name: 'below/deep', content: '' },
    );
    expect(await put('one', archive, 'application/gzip')).toBe(201);
    expect(await put('one/files/made/topology.yml', topology, 'application/octet-stream')).toBe(201);
    const job = { action: 'up', workspace: 'one', topologyPath: 'made/topology.yml' };
    expect(await run(service, job)).toMatchObject({ job: { state: 'success' } });
    expect(
      await run(service, { action: 'create', workspace: 'auto', topology: topologyThat('touch here') }),
    ).toMatchObject({
      job: { state: 'success' },
    });
    const place = path.join(ground.dataDir, 'workspaces');
    for (const name of [
      '',
      '/old',
      '/new',
      '/below',
      '/below/deep',
      '/below/by-job',
      '/made',
      '/made/topology.yml',
    ])
      expect({ name, uid: statSync(`${place}/one${name}`).uid }).toEqual({ name, uid });
    expect(statSync(path.join(place, '.lab-api'))).toMatchObject({ uid: 0, mode: 0o40700 });
  });
});

describe('a lab of the bundled engine', () => {
  itWithLabs(`is the user's: up, status, exec, down${becauseOfLabs}`, async () => {
    const { ground, home, service } = await startOwn({ LAB_API_CLI: 'engine', LAB_API_CANCEL_GRACE: '20s' });
    const multilabId = freeInstanceNumber();
    const topology = 'defaults.device: linux\nnodes: [h1, h2]\nlinks: [h1-h2]\n';
    const up = await run(service, { action: 'up', workdir: ground.workdir, multilabId, topology });
    expect(up).toMatchObject({ job: { state: 'success' } });
    try {
      expect((await service.get('/status')).json).toMatchObject({ [multilabId]: { status: 'started' } });
      expect((await service.get(`/labs/${multilabId}/topology`)).json).toMatchObject({ nodes: [{}, {}] });
      const exec = await service.post(`/labs/${multilabId}/nodes/h1/exec`, {
        command: ['ping', '-c1', '-W5', 'h2'],
      });
      expect(exec.json).toMatchObject({ exitCode: 0 });
      const terminal = new TerminalClient(service.url, `/labs/${multilabId}/nodes/h1/terminal`, {
        authorization,
      });
      await terminal.opened();
      terminal.type(
        `cat /proc/${service.run.child.pid}/environ || echo "ref""used"; ls -l /proc/self/fd; hostname\r`,
      );
      await terminal.prints(/refused[^]*h1\r\n/);
      expect(terminal.printed).not.toContain(ground.dataDir);
      terminal.drop();
      // What lies there is the user's to change: nobody waits for it.
      renameSync(path.join(home, '.lab/status.json'), path.join(home, '.lab/kept'));
      execFileSync('mkfifo', [path.join(home, '.lab/status.json')]);
      expect((await service.get('/workspaces')).status).toBe(200);
      renameSync(path.join(home, '.lab/kept'), path.join(home, '.lab/status.json'));
      expect(statSync(path.join(home, '.lab/status.json')).uid).toBe(uid);
    } finally {
      const down = await run(service, { action: 'down', workdir: ground.workdir, cleanup: true });
      expect(down).toMatchObject({ job: { state: 'success' } });
    }
  });
});

it(`no snapshot has the files of a lab outside workspaces, which the service would read as root${because}`, async () => {
  const { ground, service } = await startOwn({ FAKE_LAB_LOGS: '1' });
  const keep = async (body: object) => service.request('/labs/default/snapshots', { method: 'POST', body });
  await run(service, { action: 'up', workdir: ground.workdir, topology: topologyThat() });
  expect(await keep({ name: 'outside' })).toMatchObject({ status: 422, json: { code: 'not-supported' } });
});
