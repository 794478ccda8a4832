import { afterEach, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { findProcess } from '../../../../src/lib/processes/processes.ts';
import { ProcessScanner, type ScannedProcess } from '../../../../src/lib/processes/process-scanner.ts';
import { eventually } from '../../../support/eventually.ts';

const children: ChildProcess[] = [];

/** Starts a shell script with this environment and gives its pid, which it prints first of all. */
async function start(script: string, env: Record<string, string>): Promise<number> {
  const child = spawn('/bin/sh', ['-c', `echo ready; ${script}`], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  if (child.pid === undefined) throw new Error('the shell did not start');
  return child.pid;
}

afterEach(async () => {
  for (const child of children.splice(0)) {
    const exit = once(child, 'exit');
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await exit;
    expect(findProcess(child.pid ?? 0)).toBeUndefined();
  }
});

async function tagOf(scanner: ProcessScanner, pid: number): Promise<ScannedProcess['tag']> {
  const entry = (await scanner.scan()).find((candidate) => candidate.pid === pid);
  if (!entry) throw new Error(`${pid} was not found`);
  return entry.tag;
}

const forever = 'exec sleep 100000';

describe('the tag', () => {
  test.each<{ name: string; env: Record<string, string>; tag: string | null }>([
    { name: 'first of all', env: { TAG: 'a', OTHER: '1' }, tag: 'a' },
    { name: 'last of all', env: { OTHER: '1', TAG: 'x y=z' }, tag: 'x y=z' },
    { name: 'an empty one', env: { TAG: '' }, tag: '' },
    { name: 'none', env: { OTHER: 'TAG=a' }, tag: null },
    { name: 'of a similar name', env: { MYTAG: 'a', TAGS: 'b' }, tag: null },
  ])('$name', async ({ env, tag }) => {
    const pid = await start(forever, env);
    expect(await tagOf(new ProcessScanner('TAG'), pid)).toBe(tag);
  });

  test('is that of the program that runs now', async () => {
    const scanner = new ProcessScanner('TAG');
    const pid = await start(`exec env TAG=new sh -c 'echo ready; exec sleep 100000'`, {
      PATH: '/usr/bin:/bin',
    });
    await eventually('the other program', async () => (await tagOf(scanner, pid)) === 'new');
  });

  test('stays when the process gives itself another environment', async () => {
    const scanner = new ProcessScanner('TAG');
    const gate = await start(`read line <"/proc/self/fd/0"; kill -STOP $$; exec env -i sleep 100000`, {
      PATH: '/usr/bin:/bin',
      TAG: 'mine',
    });
    await eventually('the process to stop', () => findProcess(gate)?.state === 'T');
    expect(await tagOf(scanner, gate)).toBe('mine');
    process.kill(gate, 'SIGCONT');
    await eventually(
      'the other program',
      async () => (await tagOf(new ProcessScanner('TAG'), gate)) === null,
    );
    expect(await tagOf(scanner, gate)).toBe('mine');
  });
});

describe('a scan', () => {
  test('knows parent, session and group, and this process', async () => {
    const pid = await start(forever, {});
    const entries = await new ProcessScanner('TAG').scan();
    expect(entries.find((entry) => entry.pid === pid)).toMatchObject({
      parent: process.pid,
      session: pid,
      processGroup: pid,
      startTicks: findProcess(pid)?.startTicks,
    });
    expect(entries.map((entry) => entry.pid)).toContain(process.pid);
  });

  test('does not show zombies', async () => {
    const pid = await start(`sh -c 'exit 3' & ${forever}`, { PATH: '/usr/bin:/bin', TAG: 'a' });
    await eventually('the child to be gone', async () => {
      const entries = await new ProcessScanner('TAG').scan();
      return entries.filter((entry) => entry.session === pid).length === 1;
    });
  });

  test('sees what was there before it was asked for, however many ask at once', async () => {
    const scanner = new ProcessScanner('TAG');
    const early = scanner.scan();
    const pid = await start(forever, { TAG: 'late' });
    const answers = await Promise.all(Array.from({ length: 50 }, async () => tagOf(scanner, pid)));
    await early;
    expect(new Set(answers)).toEqual(new Set(['late']));
  });
});
