/** The way of systems without /proc, which works on others, too. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { terminateByTree } from '../../../../src/jobs/run/terminate.ts';
import { killAll, processesOf } from '../../../support/job-processes.ts';
import { sampleId } from '../../../support/sample-job.ts';

const id = sampleId(1);
const never = new AbortController().signal;
/** Ends at any signal, and is ready when it has printed: a shell may be between two commands when a signal comes. */
const plain = `exec ${process.execPath} -e 'console.log(1); setInterval(() => {}, 1000)'`;

afterEach(async () => killAll(id));

/** The first process of a group of its own, which has printed that it is ready. */
async function started(
  script: string,
): Promise<{ child: ChildProcess; pid: number; ended: Promise<unknown> }> {
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '', LAB_JOB_ID: id },
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return { child, pid: child.pid ?? 0, ended };
}

test('a group that ends at the first signal is not killed', async () => {
  const { child, pid, ended } = await started(plain);
  expect(await terminateByTree(pid, { graceMs: 20_000, forceKill: never })).toEqual({
    signaled: true,
    leftovers: [],
    neededKill: false,
  });
  await ended;
  expect(child.signalCode).toBe('SIGINT');
  expect(processesOf(id)).toEqual([]);
});

test('one that ignores both is killed, which is told', async () => {
  const { child, pid, ended } = await started(`trap '' INT TERM; echo ready; while :; do sleep 0.05; done`);
  expect(await terminateByTree(pid, { graceMs: 50, forceKill: never })).toEqual({
    signaled: true,
    leftovers: [],
    neededKill: true,
  });
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  expect(processesOf(id)).toEqual([]);
});

test('who forces has it killed at once, and it is not told that this was needed', async () => {
  const { child, pid, ended } = await started(plain);
  const options = { graceMs: 600_000, forceKill: AbortSignal.abort() };
  expect(await terminateByTree(pid, options)).toMatchObject({ signaled: true, neededKill: false });
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
});

const hasPs = spawnSync('ps').status === 0;
(hasPs ? test : test.skip)(
  `its children that left the group are killed with it${hasPs ? '' : ' (skipped: there is no ps here)'}`,
  async () => {
    const { pid, ended } = await started(
      `trap '' INT TERM; setsid sh -c 'echo ready; exec sleep 1000' & while :; do sleep 0.05; done`,
    );
    expect(await terminateByTree(pid, { graceMs: 50, forceKill: never })).toMatchObject({ leftovers: [] });
    await ended;
    expect(processesOf(id)).toEqual([]);
  },
);

describe('of a group whose first process is gone', () => {
  /** A child that prints once it listens; a shell has it ignore SIGINT unless it says otherwise. */
  const child = (onSignal: string): string =>
    `${process.execPath} -e 'for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => { ${onSignal} }); console.log(1); setInterval(() => {}, 1000)'`;

  test('what is left ends as it likes', async () => {
    const { pid, ended } = await started(`${child('process.exit()')} &`);
    await ended;
    expect(await terminateByTree(pid, { graceMs: 20_000, forceKill: never })).toEqual({
      signaled: true,
      leftovers: [],
      neededKill: false,
    });
    expect(processesOf(id)).toEqual([]);
  });

  test('what does not end is killed', async () => {
    const { pid, ended } = await started(`${child('')} &`);
    await ended;
    expect(await terminateByTree(pid, { graceMs: 50, forceKill: never })).toEqual({
      signaled: true,
      leftovers: [],
      neededKill: true,
    });
    expect(processesOf(id)).toEqual([]);
  });
});
