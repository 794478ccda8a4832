/** What is found out of a job after a restart, and whose turn it is then; the integration tests see it with whole services. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { recoverJob, recoverJobs, type RecoveryDeps } from '../../../../src/jobs/run/recovery.ts';
import { prepareStart, writeIdentity } from '../../../../src/jobs/store/job-files.ts';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { identify } from '../../../../src/lib/processes/processes.ts';
import { eventually } from '../../../support/eventually.ts';
import { killAll, processesOf } from '../../../support/job-processes.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();
const started = '2026-01-02T03:04:06.000Z';
const stopAt = '2026-01-02T03:05:00.000Z';
const running = (changes: Partial<Job> = {}) =>
  sampleJob({ state: 'running', startedAt: started, ...changes });
const canceling = () =>
  running({ state: 'canceling', stopRequest: { reason: 'canceled', by: 'ann', at: stopAt } });
/** Of a process that is not there. */
const gone = { ...identify(process.pid), startTicks: 1 };

afterEach(async () => {
  for (const number of [1, 2]) await killAll(sampleId(number));
});

/** A store, and who is told what. `supervisor` does nothing but what a test makes it do. */
async function ground(...jobs: readonly Job[]) {
  const { store, log } = await openStore();
  for (const job of jobs) await store.create(job, undefined);
  const told: unknown[] = [];
  const adopted = deferred<void>();
  const supervisor = {
    adopt: async ({ id }: Job, { identity }: { identity: { pid: number } }) => {
      told.push(['adopt', id, identity.pid]);
      return adopted.promise;
    },
    conclude: async ({ id }: Job, end: unknown, past: unknown) => {
      told.push(['conclude', id, end, past]);
      return Promise.resolve();
    },
    putBack: async ({ id }: Job) => {
      told.push(['putBack', id]);
      await store.update(id, (job) => ({ ...job, state: 'queued', startedAt: null }));
    },
  };
  const noting = (what: string) => (about: Job | string) =>
    void told.push([what, typeof about === 'string' ? about : about.id]);
  const deps = {
    store,
    log,
    supervisor: supervisor as unknown as RecoveryDeps['supervisor'],
    hold: noting('hold'),
    release: noting('release'),
    wait: noting('wait'),
  };
  const words = () => log.entries.map(({ message, fields }) => [message, fields]);
  return { store, deps, told, supervisor, adopted, words, paths: store.paths(sampleId(1)) };
}

/** A process that leads a session of its own and is found by the id of a job, as a shim is. */
async function shimOf(id: string): Promise<number> {
  const env = { ...process.env, LAB_JOB_ID: id };
  const child = spawn('cat', { env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  await eventually('the process to carry the id', () => processesOf(id).length === 1);
  return child.pid!;
}

describe('a job that lives', () => {
  test('is held, adopted, and given back when it has ended', async () => {
    const { deps, told, adopted, words, paths } = await ground(running());
    await writeIdentity(paths, identify(process.pid));
    expect(await recoverJob(running(), deps)).toBe('adopted');
    expect(told).toEqual([
      ['hold', sampleId(1)],
      ['adopt', sampleId(1), process.pid],
    ]);
    expect(words()).toEqual([['a running job was found again', { job: sampleId(1), pid: process.pid }]]);
    adopted.resolve();
    await eventually('its place to be given back', () => told.length === 3);
    expect(told[2]).toEqual(['release', sampleId(1)]);
  });

  test('is found by its id where no process is on record, and is on record then', async () => {
    const { deps, told, paths } = await ground(running());
    const pid = await shimOf(sampleId(1));
    expect(await recoverJob(running(), deps)).toBe('adopted');
    expect(told.at(-1)).toEqual(['adopt', sampleId(1), pid]);
    expect(JSON.parse(readFileSync(paths.process, 'utf8'))).toEqual(identify(pid));
  });

  test('is adopted also where the disk refuses to note its process', async () => {
    const { deps, told, paths } = await ground(running());
    const pid = await shimOf(sampleId(1));
    mkdirSync(path.join(paths.process, 'in the way'), { recursive: true });
    expect(await recoverJob(running(), deps)).toBe('adopted');
    expect(told.at(-1)).toEqual(['adopt', sampleId(1), pid]);
  });

  test('is not looked for by its id where its process is on record, and that is gone', async () => {
    const { deps, told, paths } = await ground(running());
    await shimOf(sampleId(1));
    await writeIdentity(paths, gone);
    expect(await recoverJob(running(), deps)).toBe('interrupted');
    expect(told).toHaveLength(1);
  });

  test('and has written its result is about to end: the result counts', async () => {
    const { deps, told, paths } = await ground(running());
    await writeIdentity(paths, identify(process.pid));
    writeFileSync(paths.exit, '{"exitCode":0}');
    expect(await recoverJob(running(), deps)).toBe('finished');
    expect(told).toEqual([['conclude', sampleId(1), { kind: 'exited', exitCode: 0 }, expect.anything()]]);
  });
});

describe('a job that has ended', () => {
  /** It ended that many milliseconds after its stop was asked for. */
  const endedAfter = async (job: Job, ms: number) => {
    const { deps, told, words, paths } = await ground(job);
    await writeIdentity(paths, gone);
    writeFileSync(paths.exit, '{"exitCode":3}');
    const at = new Date(Date.parse(stopAt) + ms);
    utimesSync(paths.exit, at, at);
    expect(await recoverJob(job, deps)).toBe('finished');
    return { told, words, endedMs: at.getTime() };
  };

  test('is concluded by its result, with the time of that, and on the log', async () => {
    const { told, words, endedMs } = await endedAfter(running(), 0);
    const past = { identity: gone, endedMs, signaled: false };
    expect(told).toEqual([['conclude', sampleId(1), { kind: 'exited', exitCode: 3 }, past]]);
    expect(words()).toEqual([
      ['a job ended while the service was away', { job: sampleId(1), state: 'running' }],
    ]);
  });

  test.each([
    ['before its stop was asked for: that did not end it', -11, false],
    ['in the same tick of the clock of files: that may have', -10, true],
    ['after it: that may have', 1, true],
  ])('%s', async (_what, ms, signaled) => {
    const { told } = await endedAfter(canceling(), ms);
    expect(told).toEqual([
      ['conclude', sampleId(1), expect.anything(), expect.objectContaining({ signaled })],
    ]);
  });

  test.each([
    ['was asked to stop: that may have been why', canceling(), true],
    ['was not', running(), false],
  ])('without a result, and %s', async (_what, job, signaled) => {
    const { deps, told, paths } = await ground(job);
    await writeIdentity(paths, gone);
    expect(await recoverJob(job, deps)).toBe('interrupted');
    const past = { identity: gone, endedMs: undefined, signaled };
    expect(told).toEqual([['conclude', sampleId(1), { kind: 'lost' }, past]]);
  });
});

describe('a job of which nothing began', () => {
  test('is put back and waits again, and its ticket is of no use any more', async () => {
    const { deps, told, words, paths } = await ground(running());
    await prepareStart(paths);
    expect(await recoverJob(running(), deps)).toBe('queued');
    expect(told).toEqual([
      ['putBack', sampleId(1)],
      ['wait', sampleId(1)],
    ]);
    expect(readdirSync(paths.directory).filter((name) => name.startsWith('ticket'))).toEqual([]);
    expect(words()).toEqual([
      ['nothing of a job was started before the service went down', { job: sampleId(1), state: 'queued' }],
    ]);
  });

  test('and that was canceled waits no more', async () => {
    const { deps, told, supervisor, store } = await ground(canceling());
    supervisor.putBack = async ({ id }) =>
      void (await store.update(id, (job) => ({ ...job, state: 'canceled' })));
    expect(await recoverJob(canceling(), deps)).toBe('finished');
    expect(told).toEqual([]);
  });
});

describe('while nobody can tell what became of a job', () => {
  /** The disk refuses `times` times, at the step that is made to fail. */
  const refusing = <T extends readonly unknown[]>(times: number, step: (...args: T) => Promise<void>) => {
    let left = times;
    return async (...args: T): Promise<void> => {
      left -= 1;
      if (left >= 0) throw new Error('EIO');
      return step(...args);
    };
  };

  test('its directory is taken; that is on the log once, and over once it can be told', async () => {
    const { deps, told, supervisor, words, paths } = await ground(running());
    await writeIdentity(paths, gone);
    supervisor.conclude = refusing(2, supervisor.conclude);
    expect(await recoverJob(running(), deps)).toBe('adopted');
    expect(told).toEqual([['hold', sampleId(1)]]);
    const failure = ['what became of a job cannot be told now', { job: sampleId(1), cause: 'EIO' }];
    expect(words()).toEqual([failure]);
    await eventually('its place to be given back', () => told.length === 3);
    expect(told.slice(1)).toEqual([expect.arrayContaining(['conclude']), ['release', sampleId(1)]]);
    expect(words().filter(([message]) => message === failure[0])).toHaveLength(1);
  });

  test('and it turns out to live, its place is given back once: when it has ended', async () => {
    const { deps, told, supervisor, adopted, paths } = await ground(running());
    await writeIdentity(paths, gone);
    supervisor.conclude = refusing(9, supervisor.conclude);
    expect(await recoverJob(running(), deps)).toBe('adopted');
    await writeIdentity(paths, identify(process.pid));
    await eventually('it to be adopted', () => told.some((each) => String(each).startsWith('adopt')));
    expect(told.map(String)).not.toContain(`release,${sampleId(1)}`);
    adopted.resolve();
    await eventually('its place to be given back', () => String(told.at(-1)) === `release,${sampleId(1)}`);
    expect(told.filter((each) => String(each).startsWith('release'))).toHaveLength(1);
  });

  test('and it turns out not to have begun, it waits when its place is given back, and not twice', async () => {
    const { deps, told, supervisor, paths } = await ground(running());
    await prepareStart(paths);
    supervisor.putBack = refusing(1, supervisor.putBack);
    expect(await recoverJob(running(), deps)).toBe('adopted');
    await eventually('its place to be given back', () => told.length === 3);
    expect(told.map(String)).toEqual(['hold', 'putBack', 'release'].map((what) => `${what},${sampleId(1)}`));
  });
});

describe('all jobs', () => {
  test('are looked at, the newest first; those that wait, and have ended, stay as they are', async () => {
    const jobs = [1, 2, 3].map((number) => running({ id: sampleId(number) }));
    const others = (['queued', 'failed'] as const).map((state, index) =>
      sampleJob({ id: sampleId(4 + index), state }),
    );
    const { deps, told, store } = await ground(...jobs, ...others);
    await writeIdentity(store.paths(sampleId(2)), gone);
    await writeIdentity(store.paths(sampleId(3)), identify(process.pid));
    expect(await recoverJobs(deps)).toEqual({ queued: 2, adopted: 1, finished: 0, interrupted: 1 });
    expect(told.map(String).map((each) => each.split(',').slice(0, 2))).toEqual([
      ['hold', sampleId(3)],
      ['adopt', sampleId(3)],
      ['conclude', sampleId(2)],
      ['putBack', sampleId(1)],
      ['wait', sampleId(1)],
    ]);
  });

  /** A service that starts when the record of job 1 has been damaged. */
  async function damaged() {
    const first = await ground(running());
    await first.store.close();
    writeFileSync(first.paths.record, 'no record');
    const { store, log } = await openStore(path.dirname(first.paths.directory));
    return { deps: { ...first.deps, store, log }, log };
  }

  test('that have no sound record, and run, are told of, and are not ended', async () => {
    const { deps, log } = await damaged();
    const pid = await shimOf(sampleId(1));
    const before = log.entries.length;
    expect(await recoverJobs(deps)).toEqual({ queued: 0, adopted: 0, finished: 0, interrupted: 0 });
    expect(log.entries.slice(before)).toEqual([
      {
        level: 'error',
        message: 'a job without a sound record still runs; wait for its end or end it by hand',
        fields: { job: sampleId(1), pids: [pid] },
      },
    ]);
    expect(processesOf(sampleId(1))).toEqual([pid]);
  });

  test('that have no sound record, and do not run, are not spoken of', async () => {
    const { deps, log } = await damaged();
    const before = log.entries.length;
    await recoverJobs(deps);
    expect(log.entries.slice(before)).toEqual([]);
  });

  test('are looked at, too, where those without a record cannot be looked for', async () => {
    const { deps, told, store, words } = await ground(running());
    rmSync(path.join(store.directory, '.quarantine'), { recursive: true });
    writeFileSync(path.join(store.directory, '.quarantine'), 'no directory');
    expect(await recoverJobs(deps)).toMatchObject({ queued: 1 });
    expect(told).toHaveLength(2);
    expect(words()[0]).toEqual([
      'jobs without a sound record cannot be looked for',
      { cause: expect.stringContaining('ENOTDIR') },
    ]);
  });
});
