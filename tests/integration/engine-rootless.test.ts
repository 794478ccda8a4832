import { expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { answerOfState } from '../../src/labs/drivers/engine/engine-state.ts';
import type { Look } from '../../src/labs/drivers/containers-there.ts';
import { engineInterfaces } from '../../src/labs/drivers/engine/engine-interfaces.ts';
import { runCaptured } from '../../src/labs/system/run.ts';
import { isAlive, type ProcessIdentity } from '../../src/lib/processes/processes.ts';
import { lab, startLab } from '../support/engine-cli.ts';
import { triangle } from '../support/engine-lab.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { requirement } from '../support/requirements.ts';
import { asNobody, giveToNobody, missingForRootless } from '../support/rootless.ts';

const missing = missingForRootless();
const { because, it, prepared, root } = preparedLabs({ missing, prefix: asNobody });
const { instance, where } = prepared('rootless', { links: triangle });
const asUser = (...args: string[]) =>
  lab(where, args, [...asNobody, 'env', `HOME=${where.home}`, 'LAB_JOB_ID=job-1', 'LAB_API_TOKEN=x']);
const holderFile = path.join(where.home, 'holder.json');

if (missing === undefined) giveToNobody(root);

it(`without privileges, a lab lives in a user namespace that outlives the command${because}`, async () => {
  expect(await asUser('status')).toMatchObject({ exitCode: 1, stdout: 'No netlab-managed labs\n' });
  expect(existsSync(holderFile)).toBe(false);
  expect(await asUser('up', '--snapshot')).toMatchObject({ exitCode: 0, stderr: '' });

  const holder = JSON.parse(readFileSync(holderFile, 'utf8')) as ProcessIdentity;
  expect(isAlive(holder)).toBe(true);
  const environ = readFileSync(`/proc/${holder.pid}/environ`, 'utf8');
  expect(environ).not.toMatch(/LAB_JOB_ID|LAB_API_/);
  const [, processGroup, session] = readFileSync(`/proc/${holder.pid}/stat`, 'utf8')
    .split(') ')[1]!
    .split(' ')
    .slice(1);
  expect([processGroup, session]).toEqual([expect.any(String), String(holder.pid)]);

  expect(await asUser('exec', 'h1', '--', 'ping', '-n', '-c1', '-W2', 'h3')).toMatchObject({ exitCode: 0 });
  expect((await asUser('exec', 'h1', '--', 'sh', '-c', 'exit 9')).exitCode).toBe(9);
  const status = JSON.parse((await asUser('status', '--format', 'json')).stdout);
  expect(status).toMatchObject({ status: 'started', nodes: { h1: { status: 'Up' } } });
  expect(existsSync(`/run/netns/lab-${instance}-h1`)).toBe(false);

  // The service reads the same from the state files, as root and as that user.
  const ask = ['status', '--instance', instance, '--format', 'json'];
  const told = await answerOfState(ask, { env: { LAB_HOME: where.home }, isOtherUser: true });
  expect(told?.stdout.toString()).toBe((await asUser(...ask)).stdout);

  const [first = '', ...words] = asNobody;
  const env = { PATH: process.env['PATH'] ?? '' };
  const look: Look = async (program, args) =>
    runCaptured(first, [...words, program, ...args], { env, timeoutMs: 10_000 });
  const asker = { env: { LAB_HOME: where.home }, isOtherUser: true };
  const { found, doubt } = await engineInterfaces(instance, asker, look);
  expect(doubt).toBeNull();
  expect([...found.keys()].toSorted()).toEqual(Object.keys(status.nodes as object).toSorted());
  expect(found.get('h1')?.interfaces.get('eth1')?.txPackets).toBeGreaterThan(0);

  // Root does not take it for its own.
  for (const command of ['status', 'down']) {
    const asRoot = await lab(where, [command]);
    expect(asRoot).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('run this as the user with uid 65534'),
    });
  }
  expect(await asUser('collect', '-q')).toMatchObject({ exitCode: 0 });
  expect(readFileSync(path.join(where.directory, 'config/r1.cfg'), 'utf8')).toContain(
    'net.ipv4.ip_forward = 1',
  );

  expect(await asUser('up', '--snapshot')).toMatchObject({
    stdout: expect.stringContaining('starting it again'),
  });
  expect(await asUser('down')).toMatchObject({ exitCode: 0 });
  expect(existsSync(holderFile)).toBe(false);
  await eventually('the holder to be gone', () => !isAlive(holder));
});

it(`without the process that held it, the lab is missing, and goes down${because}`, async () => {
  await asUser('up', '--snapshot', '-q');
  const holder = JSON.parse(readFileSync(holderFile, 'utf8')) as ProcessIdentity;
  process.kill(holder.pid, 'SIGKILL');
  const status = JSON.parse((await asUser('status', '--format', 'json')).stdout);
  expect(status).toMatchObject({ status: 'missing', nodes: { h1: { status: 'missing' } } });
  expect(await asUser('down')).toMatchObject({ exitCode: 0 });
  expect(await asUser('status')).toMatchObject({ exitCode: 1 });
});

it(`without privileges, a command inside ends with the one that started it, killed or not${because}`, async () => {
  await asUser('up', '--snapshot', '-q');
  const mark = `LAB_TEST_KILLED=${instance}`;
  const command = ['exec', 'h1', 'sh', '-c', 'echo ready; exec sleep 1000'];
  const outer = startLab(where, command, [...asNobody, 'env', `HOME=${where.home}`, mark]);
  await new Promise((resolve) => outer.stdout!.once('data', resolve));
  const engines = () =>
    processesWith(mark).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('engine/main.js'),
    );
  expect(engines()).toHaveLength(2);
  outer.kill('SIGKILL');
  await eventually('the command inside has ended', () => engines().length === 0);
  expect(await asUser('down')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('1 process inside'),
  });
  expect(processesWith(mark)).toEqual([]);
});

it(`says in one sentence that the state, the directory or the holder's file is not usable${because}`, async () => {
  const below = await lab({ ...where, home: '/run/lab-api-none' }, ['up', '--snapshot'], asNobody);
  expect(below).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('without privileges, LAB_HOME cannot be below /run'),
  });
  const inRun = ['sh', '-c', 'cd /run && exec "$@"', 'sh', ...asNobody];
  expect((await lab(where, ['up', '--snapshot'], inRun)).stderr).toContain(
    'the working directory cannot be below',
  );
  writeFileSync(holderFile, '{', { mode: 0o666 });
  execFileSync('chown', ['65534:65534', holderFile]);
  expect((await asUser('up', '--snapshot')).stderr).toContain(`${holderFile} is damaged`);
  execFileSync('rm', [holderFile]);
  const bare = path.join(root, 'bin');
  execFileSync('mkdir', [bare]);
  for (const name of ['ip', 'flock', 'nsenter']) execFileSync('ln', ['-s', requirement(name).file, bare]);
  const up = await lab(where, ['up', '--snapshot'], [...asNobody, 'env', `PATH=${bare}`]);
  expect(up.stderr).toContain('the program "unshare" is not on PATH; install the package util-linux');
});

it(`says in one sentence what is missing when nothing is allowed${because}`, async () => {
  // A user namespace below one with a limit of none: nothing can be made in it.
  const limit = [
    'unshare',
    '--user',
    '--map-root-user',
    'sh',
    '-c',
    'echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all "$@"',
    'sh',
  ];
  const prefix = [...asNobody, ...limit, 'env', `HOME=${where.home}`];
  const up = await lab(where, ['up', '--snapshot'], prefix);
  expect(up.exitCode).toBe(1);
  expect(up.stderr).toMatch(/^Fatal error in lab up: making network namespaces needs .* run it as root, /);
});
