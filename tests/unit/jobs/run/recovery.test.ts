/** A disk that fails during recovery; tests/integration/jobs-recovery*, jobs-put-back and jobs-crash-windows have the rest. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { recoverJob, type RecoveryDeps } from '../../../../src/jobs/run/recovery.ts';
import { prepareStart, writeIdentity } from '../../../../src/jobs/store/job-files.ts';
import { deferred } from '../../../../src/lib/async/deferred.ts';
import { identify } from '../../../../src/lib/processes/processes.ts';
import { eventually } from '../../../support/eventually.ts';
import { killAll } from '../../../support/job-processes.ts';
import { sampleId, sampleJob } from '../../../support/sample-job.ts';
import { storedJobs } from '../../../support/stored-jobs.ts';

const { openStore } = storedJobs();
const started = '2026-01-02T03:04:06.000Z';
const running = (changes: Partial<Job> = {}) =>
  sampleJob({ state: 'running', startedAt: started, ...changes });
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
    const failure = ['the state of a job could not be determined', { job: sampleId(1), cause: 'EIO' }];
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

test('a job that waits for the nodes of its lab goes on waiting, and does not keep the service from starting', async () => {
  const request = { action: 'up', waitReadySeconds: 60 };
  const { deps, told, supervisor, adopted, paths } = await ground(running({ request }));
  await writeIdentity(paths, gone);
  writeFileSync(paths.exit, JSON.stringify({ exitCode: 0 }));
  const conclude = supervisor.conclude;
  supervisor.conclude = async (...args) => {
    await conclude(...args);
    await adopted.promise;
  };
  expect(await recoverJob(running({ request }), deps)).toBe('adopted');
  expect(told).toEqual([['hold', sampleId(1)], expect.arrayContaining(['conclude', sampleId(1)])]);
  adopted.resolve();
  await eventually('its place to be given back', () => told.length === 3);
  expect(told.at(-1)).toEqual(['release', sampleId(1)]);
});
