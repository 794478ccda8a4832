/** A job from `running` to its end, with real processes; the integration tests see it with all of the service around it. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { PostponedStarts } from '../../../../src/jobs/run/job-queue.ts';
import type { ProcessEnd } from '../../../../src/jobs/run/process.ts';
import { Supervisor } from '../../../../src/jobs/run/supervisor.ts';
import { readIdentity } from '../../../../src/jobs/store/job-files.ts';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { identify } from '../../../../src/lib/processes/processes.ts';
import { eventually } from '../../../support/eventually.ts';
import { killAll, processesOf } from '../../../support/job-processes.ts';
import { JobRig } from '../../../support/job-rig.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const { openStore } = storedJobs();
const id = sampleId(1);
const root = temporaryDirectory();
let count = 0;

afterEach(async () => killAll(id));

type Deps = ConstructorParameters<typeof Supervisor>[0];

/** A job of a shell script that is `running` on record, and who supervises it. */
async function ground(script: string, changes: Partial<Job> = {}, deps: Partial<Deps> = {}) {
  const { store, log } = await openStore();
  const workdir = path.join(root, `lab-${(count += 1)}`);
  mkdirSync(workdir);
  const command = ['/bin/sh', '-c', script];
  const startedAt = new Date().toISOString();
  const job = sampleJob({ state: 'running', startedAt, workdir, command, ...changes });
  await store.create(job, undefined);
  const postponed = new PostponedStarts();
  const supervisor = new Supervisor({
    store,
    log,
    postponed,
    lab: new JobRig({ root: workdir }).lab,
    cancelGraceMs: 20_000,
    maxLogSizeBytes: 2 ** 30,
    cleanUp: async () => null,
    whyObsolete: async () => undefined,
    ...deps,
  });
  const started: unknown[] = [];
  const run = async () =>
    supervisor.run(job, () => void started.push(JSON.parse(readFileSync(store.paths(id).process, 'utf8'))));
  const words = () => log.entries.map(({ level, message, fields }) => [level, message, fields['cause']]);
  const printed = () => readFileSync(store.paths(id).log, 'utf8');
  const told = async (what: string) =>
    eventually(`the job to tell "${what}"`, () => printed().includes(what));
  const ended = async () => store.get(id);
  const request = { reason: 'canceled', by: 'ann', at: startedAt } as const;
  const stop = async (force = false) => {
    await store.update(id, (now) => ({ ...now, state: 'canceling', stopRequest: request }));
    supervisor.stop(id, { force });
  };
  return { store, log, job, workdir, postponed, supervisor, started, run, words, printed, told, ended, stop };
}

/** Prints a word, and waits for ever. */
const forever = 'echo begun; exec sleep 1000';

describe('a job that is started', () => {
  test('runs in its directory to its end, and its process is noted before anybody is told', async () => {
    const { run, started, ended, printed, workdir, words, store } = await ground('pwd; exit 4');
    await run();
    expect(started).toEqual([await readIdentity(store.paths(id))]);
    expect(printed()).toBe(`${workdir}\n`);
    expect(await ended()).toMatchObject({ state: 'failed', reason: 'exited', exitCode: 4, leftovers: [] });
    expect(words()).toEqual([['info', 'job finished', undefined]]);
  });

  test('that ended by itself may leave something that is to stay', async () => {
    const { run, ended } = await ground('sleep 1000 & exit 0');
    await run();
    expect(await ended()).toMatchObject({ state: 'success', leftovers: [] });
    await eventually('it to be there', () => processesOf(id).length === 1);
  });

  test('and that nobody can tell the end of, as its shim was killed, has nothing left', async () => {
    const { run, told, ended, store } = await ground(forever);
    const running = run();
    await told('begun');
    const shim = await eventually('the process to be noted', async () => readIdentity(store.paths(id)));
    process.kill(shim.pid, 'SIGKILL');
    await running;
    expect(await ended()).toMatchObject({ state: 'failed', signal: 'SIGKILL', leftovers: [] });
    expect(processesOf(id)).toEqual([]);
  });

  test.each([
    ['its directory is gone', { workdir: '/nowhere-of-a-test' }, '/nowhere-of-a-test'],
    ['its lab CLI is gone', { command: ['/nowhere-of-a-test'] }, 'is gone or not executable'],
  ])('is refused where %s', async (_what, changes, why) => {
    const { run, ended, started } = await ground('exit 0', changes);
    await run();
    const error = expect.stringContaining(why);
    expect(await ended()).toMatchObject({ state: 'failed', reason: 'spawn-error', error });
    expect(started).toEqual([]);
  });

  test('is canceled where nobody wants it any more', async () => {
    const { run, ended, started } = await ground(
      'exit 0',
      {},
      { whyObsolete: async () => 'the lease was renewed' },
    );
    await run();
    const error = 'canceled before it started: the lease was renewed';
    expect(await ended()).toMatchObject({ state: 'canceled', error });
    expect(started).toEqual([]);
  });

  test.each([
    ['EMFILE', 'queued', 'EMFILE: too many open files'],
    ['ENOENT', 'failed', undefined],
  ])('that cannot be started by %s is %s', async (code, state, postponed) => {
    const error = Object.assign(new Error(`${code}: too many open files`), { code });
    const whyObsolete = async () => Promise.reject(error);
    const { run, ended, started, words, ...rest } = await ground('exit 0', {}, { whyObsolete });
    await run();
    expect(await ended()).toMatchObject({ state });
    expect(rest.postponed.get(id)).toBe(postponed);
    if (postponed) expect(words()).toEqual([['error', 'a job cannot be started now', postponed]]);
    else expect((await ended())?.error).toBe('cannot start /bin/sh: ENOENT: too many open files');
    expect(started).toEqual([]);
  });

  test('is ended, and nothing of it goes on, where its supervision has an error', async () => {
    const { supervisor, job, ended, words } = await ground(forever);
    await supervisor.run(job, () => {
      throw new Error('a bug');
    });
    expect(words()).toContainEqual(['error', 'supervision of a job failed', 'a bug']);
    expect(await ended()).toMatchObject({ state: 'failed', reason: 'interrupted', leftovers: [] });
    expect(processesOf(id)).toEqual([]);
  });

  test('may print no more than is allowed', async () => {
    const { run, ended } = await ground('yes', {}, { maxLogSizeBytes: 4_000 });
    await run();
    expect(await ended()).toMatchObject({ state: 'failed', reason: 'log-limit', logSize: 4_000 });
  });
});

describe('a job that is to stop', () => {
  test('is asked, and ends by that', async () => {
    const { run, told, stop, ended } = await ground(
      "trap 'echo asked; exit 9' INT; echo begun; while :; do sleep 0.1; done",
    );
    const running = run();
    await told('begun');
    await stop();
    await running;
    await told('asked');
    expect(await ended()).toMatchObject({ state: 'canceled', reason: 'canceled', error: 'canceled by ann' });
  });

  test('and does not want to, is killed when somebody forces that, also after it was asked', async () => {
    const kills: string[] = [];
    const deps = { cancelGraceMs: 600_000, onKill: () => void kills.push('kill') };
    const { run, told, stop, ended } = await ground(
      "trap '' INT TERM; echo begun; while :; do sleep 1; done",
      {},
      deps,
    );
    const running = run();
    await told('begun');
    await stop();
    await stop(true);
    await running;
    expect(await ended()).toMatchObject({ state: 'canceled', signal: 'SIGKILL', leftovers: [] });
    expect(kills).toEqual([]);
  });

  test('before there is a process of it, is stopped once there is one', async () => {
    // Right before its start: the look at what is on record is over.
    const lab = {
      ...new JobRig({ root }).lab,
      environment: () => {
        void stop();
        return { PATH: process.env['PATH'] ?? '' };
      },
    };
    const { run, ended, stop } = await ground(forever, {}, { lab });
    await run();
    expect(await ended()).toMatchObject({ state: 'canceled' });
    expect(processesOf(id)).toEqual([]);
  });

  test('that this service does not run is left alone', async () => {
    const { supervisor, ended } = await ground(forever);
    supervisor.stop(id, { force: true });
    expect(await ended()).toMatchObject({ state: 'running' });
  });
});

describe('a job of an earlier service', () => {
  /** A process that carries the id of the job, in a session of its own. */
  const stray = async () => {
    const env = { ...process.env, LAB_JOB_ID: id };
    const child = spawn('sleep', ['1000'], { env, detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    await eventually('the process to carry the id', () => processesOf(id).length === 1);
    return identify(child.pid!);
  };

  test('goes on until it ends, by whatever ends it', async () => {
    const { supervisor, job, ended } = await ground(forever);
    const end = deferred<ProcessEnd>();
    const adopted = supervisor.adopt(job, { identity: await stray(), ended: end.promise });
    expect(await ended()).toMatchObject({ state: 'running' });
    end.resolve({ kind: 'exited', exitCode: 0 });
    await adopted;
    expect(await ended()).toMatchObject({ state: 'success', exitCode: 0 });
  });

  const stopRequest = { reason: 'canceled', by: 'ann', at: new Date().toISOString() } as const;

  test.each([
    ['whose stop is on record is stopped', { state: 'canceling', stopRequest }, ['canceled', 'canceled']],
    ['is ended when its time is up', { timeoutMs: 1 }, ['failed', 'timeout']],
  ] as const)('%s', async (_what, changes, [state, reason]) => {
    const { supervisor, job, ended } = await ground(forever, changes);
    const identity = await stray();
    const gone = eventually('the process to be gone', () => processesOf(id).length === 0);
    const end = gone.then((): ProcessEnd => ({ kind: 'signaled', signal: 'SIGINT' }));
    await supervisor.adopt(job, { identity, ended: end });
    expect(await ended()).toMatchObject({ state, reason, leftovers: [] });
  });

  test('that turns out not to have begun waits again, and that is on the log', async () => {
    const { supervisor, job, ended, words } = await ground(forever);
    const never = { ...identify(process.pid), startTicks: 1 };
    await supervisor.adopt(job, { identity: never, ended: Promise.resolve({ kind: 'unstarted' }) });
    expect(await ended()).toMatchObject({ state: 'queued', startedAt: null });
    expect(words()).toEqual([['error', 'the shim of a job ended before it started the lab CLI', undefined]]);
  });

  test('can be put back', async () => {
    const { supervisor, job, ended } = await ground(forever);
    await supervisor.putBack(job);
    expect(await ended()).toMatchObject({ state: 'queued', startedAt: null });
  });

  test.each([
    ['whose end nobody saw has nothing left', { kind: 'lost' }, false, 0],
    ['that was stopped has nothing left', { kind: 'exited', exitCode: 1 }, true, 0],
    ['that ended by itself has what it meant to stay', { kind: 'exited', exitCode: 1 }, false, 1],
  ] as const)('%s', async (_what, end, signaled, left) => {
    const { supervisor, job, ended } = await ground(forever);
    await stray();
    const endedMs = Date.parse('2026-02-03T04:05:06.789Z');
    await supervisor.conclude(job, end, { identity: undefined, signaled, endedMs });
    const reason = end.kind === 'lost' ? 'interrupted' : 'exited';
    expect(await ended()).toMatchObject({ state: 'failed', reason, finishedAt: '2026-02-03T04:05:06.789Z' });
    expect(processesOf(id)).toHaveLength(left);
  });
});
