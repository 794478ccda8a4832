import { afterEach, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  bootId,
  findProcess,
  hasProcFs,
  identify,
  isAlive,
} from '../../../../src/lib/processes/processes.ts';
import { eventually } from '../../../support/eventually.ts';
import { fixtureProgram } from '../../../support/programs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const children: ChildProcess[] = [];

/** Starts a program and waits for its first words. */
async function start(
  file: string,
  args: string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const child = spawn(file, args, { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  if (child.pid === undefined) throw new Error(`${file} did not start`);
  return child.pid;
}

async function end(pid: number): Promise<void> {
  const child = children.find((candidate) => candidate.pid === pid);
  if (child?.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit');
    process.kill(-pid, 'SIGKILL');
    await exit;
  }
}

afterEach(async () => {
  for (const { pid } of children) await end(pid ?? 0);
  expect(children.filter(({ pid }) => findProcess(pid ?? 0))).toEqual([]);
  children.length = 0;
});

test('this machine has /proc, which the tests below are about', () => {
  expect(hasProcFs).toBe(true);
  expect(bootId).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
});

describe('a living process', () => {
  test('is found, with its session and group', async () => {
    const pid = await start(fixtureProgram('forever'));
    expect(findProcess(pid)).toMatchObject({ pid, session: pid, processGroup: pid });
    expect(isAlive(identify(pid))).toBe(true);
  });

  test('is found though its name looks like the end of the name and a state', async () => {
    const file = path.join(directory, 'a) Z 1 (b)');
    copyFileSync('/bin/cat', file);
    const child = spawn(file, [], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    children.push(child);
    // What it sends back tells that it runs: before, it is still called by our own name.
    child.stdin.write('x');
    await once(child.stdout, 'data');
    expect(readFileSync(`/proc/${child.pid}/stat`, 'utf8')).toContain('(a) Z 1 (b))');
    expect(findProcess(child.pid ?? 0)).toMatchObject({
      pid: child.pid,
      session: child.pid,
      processGroup: child.pid,
    });
  });

  test('is another one when its pid, start time or boot differs', async () => {
    const identity = identify(await start(fixtureProgram('forever')));
    expect(isAlive({ ...identity, startTicks: identity.startTicks - 1 })).toBe(false);
    expect(isAlive({ ...identity, bootId: 'another boot' })).toBe(false);
    expect(isAlive({ ...identity, pid: process.pid })).toBe(false);
    expect(isAlive(identity)).toBe(true);
  });
});

describe('a process that has ended', () => {
  test('is not alive, and has no identity that could ever match', async () => {
    const pid = await start(fixtureProgram('forever'));
    const identity = identify(pid);
    await end(pid);
    expect(isAlive(identity)).toBe(false);
    expect(findProcess(pid)).toBeUndefined();
    expect(identify(pid)).toEqual({ pid, startTicks: -1, bootId });
    expect(isAlive(identify(pid))).toBe(false);
  });

  test('is not alive as a zombie', async () => {
    // The shell becomes a program that never asks for the end of its child, which waits for that.
    const script = `sh -c 'until [ "$(cat /proc/$PPID/comm)" = sleep ]; do :; done' & echo $!; exec sleep 100000`;
    const parent = await start('/bin/sh', ['-c', script]);
    const zombie = await eventually('a zombie', async () => {
      const task = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim();
      return /^\d+$/.test(task) && / Z /.test(readFileSync(`/proc/${task}/stat`, 'utf8'))
        ? Number(task)
        : undefined;
    });
    expect(findProcess(zombie)).toBeUndefined();
    expect(isAlive(identify(zombie))).toBe(false);
  });
});
