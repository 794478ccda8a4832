/** A signal at any step of a command: it ends as interrupted, or has done what it says. */
import { describe, expect } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { lab, leftovers, missingForLabs, startLab, type Place } from '../support/engine-cli.ts';
import { triangle } from '../support/engine-lab.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { partOfTests } from '../support/thorough.ts';
import { asNobody, giveToNobody, missingForRootless } from '../support/rootless.ts';

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof exitCodes;

interface Person {
  readonly where: Place;
  readonly instance: string;
  readonly prefix: readonly string[];
}

/** A user with a lab, started by the command `prefix`; call it in a `describe`, which takes the lab down. */
function person(label: string, missing: string | undefined, prefix: readonly string[]) {
  const { because, home, it, prepared, root } = preparedLabs({ missing, prefix });
  const { where, instance } = prepared(label, { links: triangle });
  const who: Person = { where, instance, prefix: [...prefix, 'env', `HOME=${home}`] };
  return { because, it, root, who };
}

async function outcomeOf(child: ChildProcess) {
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout!), text(child.stderr!)]);
  return { code, stdout, stderr };
}

const factsOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const childrenOf = (pid: number): string[] =>
  factsOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);

/** Whether SIGHUP is caught (proc(5), SigCgt): the last signal that the engine takes; SIGINT and SIGTERM are Node's at first. */
function isListening(pid: number): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(factsOf(`/proc/${pid}/status`))?.[1] ?? '0';
  return (BigInt(`0x${mask}`) & 1n) !== 0n && factsOf(`/proc/${pid}/cmdline`).includes('engine/main.js');
}

/** The steps of a command at which a signal is sent, as an onlooker sees them. */
const steps: Readonly<Record<string, (pid: number, place: Place) => boolean>> = {
  'listens to signals': isListening,
  'starts its first program': (pid) => isListening(pid) && childrenOf(pid).length > 0,
  'has entered the lab': (_, { home }) => /"(?:starting|stopping)"/.test(factsOf(`${home}/status.json`)),
};

async function signalled(who: Person, action: string, step: string, signal: Signal) {
  const child = startLab(who.where, action === 'up' ? ['up', '--snapshot'] : ['down'], who.prefix);
  const outcome = outcomeOf(child);
  await eventually(
    `the command ${step}`,
    () => child.exitCode !== null || steps[step]!(child.pid!, who.where),
  );
  child.kill(signal);
  return outcome;
}

/** Whether the lab is up, all of it; the machine and the state have nothing of a lab that is not. */
function isUp({ where, instance, prefix }: Person): boolean {
  const left = leftovers(where, instance);
  if (left.length === 0) return false;
  const [{ status = '' } = {}] = Object.values(
    JSON.parse(readFileSync(path.join(where.home, 'status.json'), 'utf8')) as Record<
      string,
      { status?: string }
    >,
  );
  expect(status).toBe('started');
  const namespaces = left.filter((one) => one.startsWith(`lab-${instance}-`));
  expect(namespaces).toHaveLength(prefix.includes('setpriv') ? 0 : 6);
  return true;
}

const cases = Object.keys(steps).flatMap((step) =>
  (['SIGINT', 'SIGTERM'] as const).map((signal) => ({ signal, step })),
);

describe.each([
  { name: 'root', missing: missingForLabs(), prefix: [] },
  { name: 'nobody', missing: missingForRootless(), prefix: asNobody },
] as const)('as $name', ({ name, missing, prefix }) => {
  const { because, it, root, who } = person(name, missing, prefix);
  if (missing === undefined && name === 'nobody') giveToNobody(root);

  /** Says what the command did, and checks that it says so. */
  async function hasDone(action: 'up' | 'down', { signal, step }: (typeof cases)[number]): Promise<boolean> {
    const { code, stdout, stderr } = await signalled(who, action, step, signal);
    if (code === 0) expect(stdout).toContain(`is ${action}`);
    else
      expect([code, stderr]).toEqual([
        exitCodes[signal],
        expect.stringContaining(`interrupted by ${signal}`),
      ]);
    return code === 0;
  }

  it.each(partOfTests(cases, 3))(
    `$signal when it $step: up is undone, or done; down was not begun, or is done${because}`,
    async (one) => {
      if (isUp(who)) await lab(who.where, ['down', '--force'], who.prefix);
      const isDone = await hasDone('up', one);
      expect(isUp(who)).toBe(isDone);
      expect(existsSync(path.join(who.where.home, 'holder.json'))).toBe(isDone && name === 'nobody');
      if (!isDone) expect((await lab(who.where, ['up', '--snapshot'], who.prefix)).exitCode).toBe(0);
      const isDown = await hasDone('down', one);
      expect(isUp(who)).toBe(!isDown);
    },
  );
});

describe('without privileges, a signal', () => {
  const { because, it, root, who } = person('early', missingForRootless(), asNobody);
  const lockFile = path.join(who.where.home, 'locks', '.holder.lock');

  it(`ends an up that has not begun, though another command keeps it waiting${because}`, async () => {
    mkdirSync(path.dirname(lockFile), { recursive: true });
    giveToNobody(root);
    const [file, ...args] = [...who.prefix, 'flock', lockFile, 'sh', '-c', 'echo locked; read -r end'];
    const other = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    await new Promise((resolve) => other.stdout.once('data', resolve));
    const child = startLab(who.where, ['up', '--snapshot'], who.prefix);
    const outcome = outcomeOf(child);
    const waits = (pid: string): boolean => factsOf(`/proc/${pid}/cmdline`).startsWith('flock\0-s\0-w');
    await eventually('it waits for the lock', () => childrenOf(child.pid!).some(waits));
    child.kill('SIGINT');
    expect(await outcome).toEqual({
      code: 130,
      stdout: '',
      stderr: 'Fatal error in lab up: interrupted by SIGINT\n',
    });
    const ended = new Promise((resolve) => other.once('close', resolve));
    other.stdin.end('\n');
    await ended;
    expect(isUp(who)).toBe(false);
  });

  it(`ends what is on its way to become the command inside, and is named${because}`, async () => {
    const programs = path.join(root, 'bin');
    const started = path.join(root, 'started');
    mkdirSync(programs);
    writeFileSync(path.join(programs, 'nsenter'), `#!/bin/sh\n: >${started}\nexec sleep 1000\n`, {
      mode: 0o755,
    });
    giveToNobody(root);
    const slow = ['env', `PATH=${programs}:${process.env['PATH']}`];
    const child = startLab(who.where, ['up', '--snapshot'], [...who.prefix, ...slow]);
    const outcome = outcomeOf(child);
    await eventually('the command inside is on its way', () => existsSync(started));
    child.kill('SIGTERM');
    expect(await outcome).toEqual({
      code: 143,
      stdout: '',
      stderr: 'Fatal error in lab up: interrupted by SIGTERM\n',
    });
    expect(existsSync(path.join(who.where.home, 'holder.json'))).toBe(false);
  });
});
