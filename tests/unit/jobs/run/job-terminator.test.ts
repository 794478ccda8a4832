import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { jobScanner } from '../../../../src/jobs/run/job-processes.ts';
import { JobTerminator, type RunningJob } from '../../../../src/jobs/run/job-terminator.ts';
import { type ProcessEnd, startProcess, type JobProcess } from '../../../../src/jobs/run/process.ts';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { identify } from '../../../../src/lib/processes/processes.ts';
import { eventually } from '../../../support/eventually.ts';
import { killAll, processesOf } from '../../../support/job-processes.ts';
import { fixtureProgram } from '../../../support/programs.ts';
import { sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();
const { id } = sampleJob();

afterEach(async () => {
  jest.restoreAllMocks();
  await killAll(id);
});

function runningWith(job: JobProcess): RunningJob {
  const [forceKill, gaveUp] = [new AbortController(), deferred<ProcessEnd>()];
  return { id, process: job, stopping: undefined, forceKill, stopped: new AbortController(), gaveUp };
}

/** A job of one program, the shim of which has started that. */
async function started(program: string, cancelGraceMs = 20_000) {
  const { store, log } = await openStore();
  await store.create(sampleJob({ state: 'running' }), undefined);
  const command = [fixtureProgram(program)];
  const env = { PATH: process.env['PATH'] ?? '' };
  const job = await startProcess({ id, paths: store.paths(id), command, workdir: os.tmpdir(), env });
  await eventually('the program', () => readFileSync(store.paths(id).log, 'utf8').includes('ready'));
  const running = runningWith(job);
  const killed: string[] = [];
  const onKill = (): void => void killed.push(id);
  return {
    store,
    log,
    job,
    running,
    killed,
    terminator: new JobTerminator({ store, log, limits: { cancelGraceMs }, onKill }),
  };
}

test('processes that cannot be looked at now are looked at again, which is told', async () => {
  const { job, running, terminator, log } = await started('forever');
  jest.spyOn(jobScanner, 'scan').mockRejectedValueOnce(new Error('too many open files'));
  expect(await terminator.stop(running, job)).toEqual({ signaled: true, leftovers: [] });
  expect(log.entries).toContainEqual({
    level: 'error',
    message: 'the processes of a job could not be listed',
    fields: { job: id, cause: 'too many open files' },
  });
  expect(processesOf(id)).toEqual([]);
});

test('what nobody can end is given up, and its numbers are told', async () => {
  const { job, running, killed, terminator } = await started('forever');
  // No number of a process (proc(5), `pid_max`): no signal reaches it.
  const pid = 2 ** 22 + 1;
  const entry = { pid, state: 'D', parent: 1, processGroup: pid, session: pid, startTicks: 1, tag: id };
  jest.spyOn(jobScanner, 'scan').mockResolvedValue([entry]);
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 10_000));
  expect(await terminator.stop(running, job)).toEqual({ signaled: true, leftovers: [pid] });
  expect(await running.gaveUp.promise).toEqual({ kind: 'lost' });
  expect(killed).toEqual([id]);
});

describe('a shim without a lab CLI', () => {
  /** Ends when it is interrupted, and leaves this result, or none. */
  async function shimThatLeaves(result: string | undefined) {
    const { store, log } = await openStore();
    await store.create(sampleJob({ state: 'running' }), undefined);
    const { exit } = store.paths(id);
    const write =
      result === undefined ? '' : `writeFileSync(${JSON.stringify(exit)}, ${JSON.stringify(result)});`;
    const script = `const { writeFileSync } = require('node:fs');
      process.on('SIGINT', () => { ${write} process.exit(); }); console.log(1); setInterval(() => {}, 1000);`;
    const shim = spawn(process.execPath, ['-e', script], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { LAB_JOB_ID: id },
    });
    await once(shim.stdout, 'data');
    if (shim.pid === undefined) throw new Error('it did not start');
    const job = { identity: identify(shim.pid), ended: new Promise<ProcessEnd>(() => undefined) };
    return new JobTerminator({ store, log, limits: { cancelGraceMs: 20_000 } }).stop(runningWith(job), job);
  }

  test.each([
    [
      'that wrote down how it had ended by itself was not ended by us',
      '{"exitCode":3,"signaled":false}',
      false,
    ],
    ['of which the signal came just in time was', '{"exitCode":130,"signaled":true}', true],
    ['that left no word was', undefined, true],
  ])('%s', async (_what, result, signaled) => {
    expect(await shimThatLeaves(result)).toEqual({ signaled, leftovers: [] });
    expect(processesOf(id)).toEqual([]);
  });
});
