/** How the processes of a job are ended: which signal comes to whom, and when. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { terminate } from '../../../../src/jobs/run/terminate.ts';
import { identify } from '../../../../src/lib/processes/processes.ts';
import { eventually } from '../../../support/eventually.ts';
import { killAll, processesOf } from '../../../support/job-processes.ts';
import { requirement } from '../../../support/requirements.ts';
import { sampleId } from '../../../support/sample-job.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const id = sampleId(1);
const root = temporaryDirectory();
const never = new AbortController().signal;
const patient = { graceMs: 600_000, forceKill: never };

const setsid = requirement('setsid');
const testOfEscapes = setsid.missing === undefined ? test : test.skip;
const because = setsid.missing === undefined ? '' : ` (skipped: ${setsid.missing})`;

/** A clock that goes on as the real one, and has as much pass at once as it is told. */
function clockOfTheTest(): (ms: number) => void {
  const real = performance.now.bind(performance);
  let passedMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => real() + passedMs);
  return (ms) => void (passedMs += ms);
}

afterEach(async () => {
  jest.restoreAllMocks();
  await killAll(id);
});

/** A program that notes each signal that it gets; with one of these, it cleans up for a moment and ends. */
const noting = (name: string, ...ends: readonly NodeJS.Signals[]): string => `
  const { appendFileSync } = require('node:fs');
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => {
      appendFileSync('signals', \`${name} \${signal}\\n\`);
      if (${JSON.stringify(ends)}.includes(signal)) setTimeout(() => process.exit(0), 100);
    });
  setInterval(() => {}, 1000);`;

/** Runs a shell script, as the first process of a group of its own, in a new directory; once it has printed so many lines. */
async function started(script: string, lines: number) {
  const cwd = mkdtempSync(path.join(root, 'case-'));
  const child = spawn('/bin/sh', ['-c', script], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', LAB_JOB_ID: id },
  });
  const printed = createInterface(child.stdout)[Symbol.asyncIterator]();
  for (let line = 0; line < lines; line += 1)
    if ((await printed.next()).done === true) throw new Error('it did not come to its first words');
  if (child.pid === undefined) throw new Error('it did not start');
  return {
    child,
    target: { id, identity: identify(child.pid) },
    signals: () =>
      readFileSync(path.join(cwd, 'signals'), { encoding: 'utf8', flag: 'a+' })
        .split('\n')
        .filter((line) => line !== '')
        .toSorted(),
  };
}

/** A command line of a program that prints a line when it listens to signals. */
function node(name: string, ...ends: readonly NodeJS.Signals[]): string {
  return `${process.execPath} -e '${noting(name, ...ends).replaceAll("'", '"')}; console.log(1)'`;
}

/** A shim that outlives polite signals for as long as its program does. */
const shim = (...commands: readonly string[]): string =>
  `trap : INT TERM; ${commands.map((command) => `${command} &`).join(' ')} until wait; do :; done`;

test('of a job without processes, nothing was ended', async () => {
  const done = { signaled: false, leftovers: [], neededKill: false };
  expect(await terminate({ id, identity: undefined }, patient)).toEqual(done);
  // A number that no process can have (proc(5), `pid_max`).
  const gone = { ...identify(process.pid), pid: 2 ** 22 + 1, startTicks: 1 };
  expect(await terminate({ id, identity: gone }, patient)).toEqual(done);
});

test('of a shim alone, no lab CLI was ended', async () => {
  const { target, signals } = await started(`exec ${node('shim', 'SIGINT')}`, 1);
  expect(await terminate(target, patient)).toEqual({ signaled: false, leftovers: [], neededKill: false });
  expect(signals()).toEqual(['shim SIGINT']);
});

test('all of the group are interrupted, and it is waited until they have ended', async () => {
  const { target, signals } = await started(shim(node('a', 'SIGINT'), node('b', 'SIGINT')), 2);
  expect(await terminate(target, patient)).toEqual({ signaled: true, leftovers: [], neededKill: false });
  expect(signals()).toEqual(['a SIGINT', 'b SIGINT']);
  expect(processesOf(id)).toEqual([]);
});

testOfEscapes(`what left the group is interrupted with it, each once${because}`, async () => {
  const { target, signals } = await started(
    shim(node('a', 'SIGINT'), `${setsid.file} ${node('escaped', 'SIGINT')}`),
    2,
  );
  expect(await terminate(target, patient)).toMatchObject({ signaled: true, neededKill: false });
  expect(signals()).toEqual(['a SIGINT', 'escaped SIGINT']);
  expect(processesOf(id)).toEqual([]);
});

testOfEscapes(
  `what left the group is ended when the shim is gone, too, or nobody knows it${because}`,
  async () => {
    for (const isKnown of [true, false]) {
      const { child, target, signals } = await started(
        `${setsid.file} ${node('escaped', 'SIGINT')} & wait`,
        1,
      );
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      expect(await terminate(isKnown ? target : { id, identity: undefined }, patient)).toEqual({
        signaled: true,
        leftovers: [],
        neededKill: false,
      });
      expect(signals()).toEqual(['escaped SIGINT']);
    }
  },
);

test('what does not end when it is interrupted is terminated', async () => {
  const { target, signals } = await started(`exec ${node('shim', 'SIGTERM')}`, 1);
  const letPass = clockOfTheTest();
  const ending = terminate(target, patient);
  await eventually('the first signal', () => signals().length === 1);
  letPass(patient.graceMs);
  expect(await ending).toMatchObject({ neededKill: false });
  expect(signals()).toEqual(['shim SIGINT', 'shim SIGTERM']);
});

testOfEscapes(
  `what does not end then either is killed, wherever it went, which is told${because}`,
  async () => {
    const { child, target, signals } = await started(shim(node('a'), `${setsid.file} ${node('escaped')}`), 2);
    const ended = once(child, 'exit');
    const letPass = clockOfTheTest();
    const ending = terminate(target, patient);
    for (const count of [2, 4]) {
      await eventually(`${count} signals`, () => signals().length === count);
      letPass(patient.graceMs);
    }
    expect(await ending).toEqual({ signaled: true, leftovers: [], neededKill: true });
    await ended;
    expect(child.signalCode).toBe('SIGKILL');
    expect(signals()).toEqual(['a SIGINT', 'a SIGTERM', 'escaped SIGINT', 'escaped SIGTERM']);
    expect(processesOf(id)).toEqual([]);
  },
);

test('who forces from the beginning has nothing interrupted, and does not tell that it was needed', async () => {
  const { child, target, signals } = await started(`exec ${node('shim')}`, 1);
  const ended = once(child, 'exit');
  expect(await terminate(target, { ...patient, forceKill: AbortSignal.abort() })).toEqual({
    signaled: false,
    leftovers: [],
    neededKill: false,
  });
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  expect(signals()).toEqual([]);
});

test('who forces during the grace has them killed at once', async () => {
  const { target, signals } = await started(shim(node('a')), 1);
  const force = new AbortController();
  const ending = terminate(target, { ...patient, forceKill: force.signal });
  await eventually('the first signal', () => signals().length > 0);
  force.abort();
  expect(await ending).toEqual({ signaled: true, leftovers: [], neededKill: false });
  expect(signals()).toEqual(['a SIGINT']);
});
