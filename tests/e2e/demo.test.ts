/**
 * `npm run demo` on a bare machine: without `ping` it shows packets all the same, without `ip` it says so at once. With `--stay` it
 * keeps a lab until Ctrl-C.
 */
import { expect, test } from '@jest/globals';
import { execFileSync, spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { leftovers, missingForAnyLabs } from '../support/engine-cli.ts';
import { processesWith } from '../support/environments.ts';
import { eventually, InVain } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { repoRoot } from '../support/repo-files.ts';
import { requirement, testUnless } from '../support/requirements.ts';

const { it, because, root, takeDownLater } = preparedLabs({ missing: missingForAnyLabs() });

/** A directory for PATH with every program of this machine but these. */
function programsWithout(...names: readonly string[]): string {
  const directory = path.join(root, `without-${names.join('-')}`);
  mkdirSync(directory);
  const all = ['/usr/bin', '/usr/sbin'].flatMap((from) => readdirSync(from).map((name) => [from, name]));
  for (const [from = '', name = ''] of all) {
    const link = path.join(directory, name);
    if (!names.includes(name) && !existsSync(link)) symlinkSync(path.join(from, name), link);
  }
  return directory;
}

function run(script: string, PATH: string): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, PATH };
  return spawnSync(process.execPath, [path.join(repoRoot, script)], { encoding: 'utf8', env });
}

it(`without ping, packets go from host to host${because}`, () => {
  const { status, stdout, stderr } = run('scripts/demo.mjs', programsWithout('ping'));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.match(/^"packet \d" came back from h2 \(172\.16\.1\.5\) after [\d.]+ ms$/gm)).toHaveLength(3);
  expect(stdout).toContain('That was it.');
  expect(stdout).toContain('npm run demo -- --stay');
});

const netlab = requirement('netlab');
const whyNoRouting =
  netlab.missing ?? (existsSync('/usr/lib/frr/frrinit.sh') ? undefined : 'FRR is not there');
const routing = testUnless(missingForAnyLabs() ?? whyNoRouting);

routing.it(`with netlab and FRR, Ctrl-C in the middle of OSPF leaves nothing${routing.because}`, async () => {
  const TMPDIR = mkdtempSync(path.join(root, 'routing-'));
  const PATH = `${path.dirname(netlab.file)}:${process.env['PATH'] ?? ''}`;
  const child = spawn(process.execPath, [path.join(repoRoot, 'scripts/demo.mjs')], {
    env: { ...process.env, TMPDIR, PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const isFirst = !said.includes('"action":"validate"');
    said += text;
    if (isFirst && said.includes('"action":"validate"')) child.kill('SIGINT');
  });
  expect([await ended, said]).toEqual([
    [130, null],
    expect.stringMatching(/Started node r2[^]*Taking the lab down/),
  ]);
  expect(readdirSync(TMPDIR)).toEqual([]);
  const name = `demo${child.pid}`;
  expect(existsSync(`/run/lab-engine/clab.${name}`)).toBe(false);
  expect(processesWith(`TMPDIR=${TMPDIR}`)).toEqual([]);
});

interface StayingDemo {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly said: () => string;
  /** Of the lab that it keeps, on the page. */
  readonly url: string;
  readonly instance: string;
  /** Where it keeps everything. */
  readonly directory: string;
  /** What there is of its lab and its processes. */
  readonly left: () => unknown[];
}

/** `demo --stay`, as soon as it stays. */
async function stayingDemo(): Promise<StayingDemo> {
  // Its processes are known by the variable that all of them inherit.
  const TMPDIR = mkdtempSync(path.join(root, 'staying-'));
  const script = path.join(repoRoot, 'scripts', 'demo.mjs');
  const env = { ...process.env, TMPDIR };
  const child = spawn(process.execPath, [script, '--stay'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const exited = once(child, 'exit');
  const place = /^ {2}(http:\S+\/ui\/labs\/(\d+))$/m;
  while (!place.test(said)) {
    if (child.exitCode !== null) throw new InVain(said);
    await Promise.race([once(child.stdout, 'data'), exited]);
  }
  const [, url = '', instance = ''] = place.exec(said) ?? [];
  const directory = path.join(
    TMPDIR,
    readdirSync(TMPDIR).find((name) => name.startsWith('lab-api-demo'))!,
  );
  const where = { home: path.join(directory, 'home'), directory };
  takeDownLater({ where, instance });
  const left = (): unknown[] => [
    ...leftovers(where, instance),
    ...processesWith(`LAB_HOME=${where.home}`),
    ...(existsSync(directory) ? [directory] : []),
  ];
  return { child, said: () => said, url, instance, directory, left };
}

it(`--stay keeps a lab and its page until Ctrl-C, and leaves nothing${because}`, async () => {
  const { child, said, url, instance, left } = await stayingDemo();
  expect((await fetch(url)).headers.get('content-type')).toContain('text/html');
  const lab = await fetch(url.replace('/ui/', '/'));
  expect(await lab.json()).toMatchObject({ id: instance, state: 'started', workspace: 'spine-leaf' });
  expect(left()).not.toEqual([]);

  const closed = once(child, 'close');
  child.kill('SIGINT');
  expect(await closed).toEqual([0, null]);
  expect(left()).toEqual([]);
  expect(said()).toContain('Ctrl-C again ends at once');
});

it(`a second Ctrl-C ends --stay at once, and it says what removes what is left${because}`, async () => {
  const { child, said, instance, directory, left } = await stayingDemo();
  // ClaimJob the lab down waits for this.
  const lock = path.join(directory, 'home', 'locks', `${instance}.lock`);
  const holder = spawn('flock', ['-x', lock, 'sh', '-c', 'echo locked; read end'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');

  const closed = once(child, 'close');
  child.kill('SIGINT');
  await eventually('the demo is being ended', () => said().includes('Ctrl-C again'));
  child.kill('SIGINT');
  expect(await closed).toEqual([null, 'SIGINT']);
  expect(left()).not.toEqual([]);

  const given = once(holder, 'close');
  holder.stdin.end();
  await given;
  const [, advice = ''] = said().split('that may be left:\n');
  expect(advice).toMatch(new RegExp(`^ {2}LAB_HOME=\\S+ node \\S+ down .*--instance ${instance}$`, 'm'));
  // The first `down` may have been quicker, and the lab unknown to the second.
  execFileSync('sh', ['-c', advice.replace(/--instance \d+$/m, '$& || true')], { stdio: 'ignore' });
  await eventually('nothing is left', () => left().length === 0);
});

test('without ip, it says so before anything is built', () => {
  const { status, stdout, stderr } = run('scripts/demo/requirements.mjs', programsWithout('ip'));
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'demo: not on PATH: ip. Install iproute2, and run it again.\n',
  });
  const { scripts } = JSON.parse(readFileSync(path.join(repoRoot, 'package.json'), 'utf8')) as {
    scripts: { demo: string };
  };
  expect(scripts.demo).toMatch(/^node scripts\/demo\/requirements\.mjs && /);
});

test('without packages, it names the command that installs them', () => {
  const script = path.join(root, 'clone/scripts/demo/requirements.mjs');
  mkdirSync(path.dirname(script), { recursive: true });
  copyFileSync(path.join(repoRoot, 'scripts/demo/requirements.mjs'), script);
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, 'demo: there is no node_modules: run "npm ci" first\n']);
});
