/** The built service from its start to its end, and over its end. */
import { describe, expect, test } from '@jest/globals';
import path from 'node:path';
import { once } from 'node:events';
import { programDirectory } from '../support/doctor.ts';
import { eventually } from '../support/eventually.ts';
import { version } from '../../src/version.ts';
import { makeGround, processesOf, runProgram, startProgram, topologyThat } from '../support/service.ts';

describe('start', () => {
  test('tells the address, the version, the jobs directory and the lab CLI', async () => {
    const program = await startProgram();
    const [, cli] = await program.run.prints(/lab CLI found cli=(\S+) version=26\.10 file=\/\S+/);
    expect(cli).toBe('fake-netlab');
    const output = program.run.output();
    const listening = /info {2}lab-api is listening url=http:\/\/127\.0\.0\.1:\d+ version=(\S+) auth=off\n/;
    expect(listening.exec(output)?.[1]).toBe(version);
    expect(output).toContain(`jobs directory directory=${program.ground.dataDir}/jobs`);
    expect(output).not.toMatch(/warn|error/);
    expect((await program.get('/healthz')).status).toBe(200);
    expect(await program.end()).toBe(0);
    expect(program.run.output()).toMatch(
      /shutting down signal=SIGTERM\n[^\n]*lab-api has stopped runningJobs=0\n$/,
    );
  });

  test('one JSON document per line, when that is asked for', async () => {
    const ground = makeGround();
    const run = runProgram(
      ['api'],
      { ...ground.env, LAB_API_LOG_LEVEL: 'info', LAB_API_LOG_FORMAT: 'json' },
      ground.root,
    );
    await run.prints(/lab CLI found/);
    run.child.kill('SIGINT');
    expect(await run.exit).toBe(0);
    for (const line of run.output().trimEnd().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({
        level: 'info',
        message: expect.any(String),
        timestamp: expect.any(String),
      });
    }
  });

  test('listens where --bind says, whatever the variables and SSH_CONNECTION say', async () => {
    const env = { SSH_CONNECTION: '192.0.2.7 50122 127.0.0.2 22', LAB_API_BIND: '127.0.0.3' };
    const program = await startProgram({ env, args: ['--bind', '127.0.0.4'] });
    expect(new URL(program.url).hostname).toBe('127.0.0.4');
    expect((await program.get('/healthz')).status).toBe(200);
  });

  test('without a password on an address that others reach: a warning that cannot be missed', async () => {
    const program = await startProgram({ args: ['--bind', '0.0.0.0'] });
    await program.run.prints(/warn {2}EVERY CLIENT THAT REACHES THIS ADDRESS CAN RUN PROGRAMS/);
    const secured = await startProgram({
      args: ['--bind', '0.0.0.0', '--auth-user', 'a', '--auth-password', 'b'],
    });
    await secured.run.prints(/lab CLI found/);
    expect(secured.run.output()).not.toContain('ANYBODY');
    expect(secured.run.output()).toContain('auth=on');
  });

  test('a misspelt variable, and roots that do not exist, are pointed out', async () => {
    const ground = makeGround();
    const env = { LAB_API_PROT: '1', LAB_API_ROOTS: `${ground.root}:/no/such/root:/none` };
    const program = await startProgram({ ground, env });
    await program.run.prints(/warn .*warning="LAB_API_PROT is not known .* did you mean LAB_API_PORT\?"/);
    await program.run.prints(/warn .*LAB_API_ROOTS does not exist.* root=\/no\/such\/root/);
    await program.run.prints(/warn .*LAB_API_ROOTS does not exist.* root=\/none/);
    expect(program.run.output()).not.toContain(`root=${ground.root}`);
  });

  test('without netlab it uses the bundled engine, and says so', async () => {
    const ground = makeGround();
    const PATH = programDirectory(ground.root, {}, ['ip', 'nsenter', 'unshare', 'flock']);
    const program = await startProgram({ ground, env: { LAB_API_CLI: 'auto', PATH } });
    await program.run.prints(/lab CLI found cli=engine .*engine\/main\.js/);
    const readiness = await program.get('/readyz');
    expect([readiness.status, readiness.text]).toEqual([200, expect.stringContaining('engine/main.js')]);
  });
});

describe('a running job', () => {
  test('outlives SIGTERM; the next service adopts it and sees how it ends', async () => {
    const first = await startProgram();
    const { ground } = first;
    const { workdir } = ground;
    const id = await first.start({
      action: 'up',
      workdir,
      topology: topologyThat('echo one; wait_for go; echo two'),
    });
    await ground.waitsFor('go');
    const waiting = await first.start({ action: 'down', workdir });
    expect(await first.end()).toBe(0);
    expect(first.run.output()).toMatch(/lab-api has stopped runningJobs=1/);
    expect(await processesOf(id)).not.toEqual([]);

    const second = await startProgram({ ground });
    expect(second.run.output()).toMatch(/jobs of the last run queued=1 adopted=1 finished=0 interrupted=0/);
    expect(await second.job(id)).toMatchObject({ state: 'running', finishedAt: null });
    expect(await second.job(waiting)).toMatchObject({ state: 'queued', queuePosition: 1 });
    ground.let('go');
    expect(await second.ended(id)).toMatchObject({ state: 'success', exitCode: 0 });
    expect(await second.logText(id)).toMatch(/^one\ntwo\n/);
    expect(await second.ended(waiting)).toMatchObject({ state: 'success' });
    expect(ground.runs('up')).toHaveLength(1);
  });

  test('outlives kill -9 of the service, and can be canceled by the next one', async () => {
    const first = await startProgram();
    const { ground } = first;
    const { workdir } = ground;
    const topology = topologyThat('sleep 1000 & wait_for never');
    const id = await first.start({ action: 'up', workdir, topology });
    await ground.waitsFor('never');
    expect(await first.end('SIGKILL')).toBeNull();
    const second = await startProgram({ ground });
    expect(await second.job(id)).toMatchObject({ state: 'running' });
    const reply = await second.cancel(id, { body: { force: true } });
    expect(reply).toMatchObject({ status: 200, json: { state: 'canceled', leftovers: [] } });
    expect(await processesOf(id)).toEqual([]);
    expect(ground.runs('up')).toHaveLength(1);
  });

  test('is canceled by SIGTERM with --on-shutdown cancel', async () => {
    const program = await startProgram({ args: ['--on-shutdown', 'cancel'] });
    const { ground } = program;
    const { workdir } = ground;
    const id = await program.start({
      action: 'up',
      workdir,
      topology: topologyThat('sleep 1000 & wait_for never'),
    });
    await ground.waitsFor('never');
    const follower = program.get(`/jobs/${id}/log`, { Accept: 'text/event-stream' });
    expect(await program.end()).toBe(0);
    expect((await follower).text).toMatch(/event: (end|server-shutdown)\n/);
    expect(await processesOf(id)).toEqual([]);
    const next = await startProgram({ ground });
    expect(await next.job(id)).toMatchObject({ state: 'canceled', reason: 'canceled' });
  });
});

test('a stop that a disk keeps waiting gives up after eight seconds, and says so', async () => {
  const preload = path.join(__dirname, '..', 'fixtures', 'hang-at-end.cjs');
  const program = await startProgram({ env: { NODE_OPTIONS: `--require ${preload}` } });
  expect(await program.end()).toBe(1);
  expect(program.run.output()).toMatch(
    /lab api: the service could not stop within 8s: does a disk hang\?\n$/,
  );
});

test('SIGHUP without TLS changes nothing', async () => {
  const program = await startProgram();
  program.run.child.kill('SIGHUP');
  expect((await program.get('/healthz')).status).toBe(200);
  expect(await program.end()).toBe(0);
});

test('a client that breaks a large download off leaves no error in the log', async () => {
  const program = await startProgram({ env: { LAB_API_LOG_LEVEL: 'debug' } });
  const { workdir } = program.ground;
  const id = await program.start({
    action: 'up',
    workdir,
    topology: topologyThat('head -c 50000000 /dev/zero'),
  });
  await program.ended(id);
  for (const query of ['', '?output=text', '?follow=true']) {
    const message = await program.open(`/jobs/${id}/log${query}`);
    await once(message, 'data');
    message.destroy();
  }
  await eventually(
    'the service noticed',
    () => (program.run.output().match(/aborted=true/g) ?? []).length === 3,
  );
  expect(await program.end()).toBe(0);
  expect(program.run.output()).not.toMatch(/ (error|warn) /);
});
