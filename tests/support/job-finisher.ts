/** A finisher of jobs on a real store, with a job on record, and ways in which a job ends. */
import { appendFileSync } from 'node:fs';
import type { Job } from '../../src/jobs/model/job.ts';
import type { LabPort } from '../../src/jobs/model/lab-port.ts';
import { JobFinisher } from '../../src/jobs/run/job-finisher.ts';
import type { Ending } from '../../src/jobs/run/job-outcome.ts';
import { sampleJob } from './sample-job.ts';
import { storedJobs } from './stored-jobs.ts';

/** The job on record. */
export const { id } = sampleJob();

export const done: Ending = {
  end: { kind: 'exited', exitCode: 0 },
  stopping: { signaled: false, leftovers: [] },
};
export const ours: Ending = {
  end: { kind: 'signaled', signal: 'SIGINT' },
  stopping: { signaled: true, leftovers: [] },
};
export const failed: Ending = { ...done, end: { kind: 'exited', exitCode: 1 } };
export const lost: Ending = { ...done, end: { kind: 'lost' } };
export const overdue: Partial<Job> = {
  stopRequest: { reason: 'timeout', by: null, at: '2026-01-02T03:04:06.000Z' },
};
export const canceling: Partial<Job> = {
  state: 'canceling',
  stopRequest: { reason: 'canceled', by: 'ann', at: '2026-01-02T03:04:06.000Z' },
};

const { openStore } = storedJobs();

/** A finisher, and a job that is on record and has printed something. */
export async function finisher(
  changes: Partial<Job>,
  verify: LabPort['verify'] = async () => undefined,
  more: Partial<LabPort> = {},
) {
  const { store, log } = await openStore();
  await store.create(sampleJob({ state: 'running', ...changes }), undefined);
  appendFileSync(store.paths(id).log, 'a line\n');
  const cleaned: string[] = [];
  const lab: LabPort = {
    plan: async () => Promise.reject(new Error('nothing is planned here')),
    madeBy: () => [],
    makeWorkspace: async () => undefined,
    allows: () => true,
    environment: () => ({}),
    errorSentence: () => 'it failed',
    isSuccess: (_job, exitCode) => exitCode === 0,
    resultReader: () => undefined,
    cleanupHint: () => 'run "down"',
    verify,
    ...more,
  };
  const cleanUp = async (up: Job): Promise<string> => {
    cleaned.push(`${up.id} ${up.state}`);
    return 'job-2-aaaaaa';
  };
  return {
    store,
    log,
    cleaned,
    it: new JobFinisher({ store, lab, log, cleanUp }),
  };
}
