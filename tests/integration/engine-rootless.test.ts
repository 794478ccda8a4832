import { afterAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive, type ProcessIdentity } from '../../src/lib/processes.ts';
import { lab, missingForUserNamespaces, placeFor, uniqueInstance } from '../support/engine-cli.ts';
import { handMadeLab, triangle } from '../support/engine-lab.ts';
import { eventually } from '../support/eventually.ts';
import { requirement } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const asNobody = [
  'setpriv',
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
];

function missingForRootless(): string | undefined {
  const programs = ['ip', 'nsenter', 'unshare', 'setpriv', 'ping'].map((name) => requirement(name).missing);
  const absent = programs.find((reason) => reason !== undefined);
  if (absent !== undefined) return absent;
  if (process.getuid?.() !== 0) return 'only root can become nobody';
  return missingForUserNamespaces(asNobody);
}

const missing = missingForRootless();
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
const it = missing === undefined ? test : test.skip;

// Before the directory is removed: hooks run in the order in which they are registered.
afterAll(async () => {
  if (missing === undefined) await asUser('down', '--force');
});

const root = temporaryDirectory();
const instance = uniqueInstance('rootless');
const where = placeFor(root, handMadeLab({ instance, links: triangle }));
const asUser = (...args: string[]) =>
  lab(where, args, [...asNobody, 'env', `HOME=${where.home}`, 'LAB_JOB_ID=job-1', 'LAB_API_TOKEN=x']);
const holderFile = path.join(where.home, 'holder.json');

if (missing === undefined) {
  chmodSync(root, 0o777);
  execFileSync('chown', ['-R', '65534:65534', root]);
}

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

  expect(await asUser('up', '--snapshot')).toMatchObject({
    stdout: expect.stringContaining('starting it anew'),
  });
  expect(await asUser('collect', '-q')).toMatchObject({ exitCode: 0 });
  expect(readFileSync(path.join(where.directory, 'config/r1.cfg'), 'utf8')).toContain(
    'net.ipv4.ip_forward = 1',
  );
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
