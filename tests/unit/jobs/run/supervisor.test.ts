/** Jobs that do not start; tests/integration/jobs-run, jobs-start and jobs-cancel have the jobs that do. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Job } from '../../../../src/jobs/model/job.ts';
import { PostponedStarts } from '../../../../src/jobs/run/job-queue.ts';
import { Supervisor } from '../../../../src/jobs/run/supervisor.ts';
import { killAll } from '../../../support/job-processes.ts';
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
    limits: { cancelGraceMs: 20_000, maxLogSizeBytes: 2 ** 30 },
    cleanUp: async () => null,
    whyObsolete: async () => undefined,
    ...deps,
  });
  const started: unknown[] = [];
  const run = async () =>
    supervisor.run(job, () => void started.push(JSON.parse(readFileSync(store.paths(id).process, 'utf8'))));
  const words = () => log.entries.map(({ level, message, fields }) => [level, message, fields['cause']]);
  const ended = async () => store.get(id);
  return { postponed, started, run, words, ended };
}

describe('a job that is started', () => {
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
});
