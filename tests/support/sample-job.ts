import { randomBytes } from 'node:crypto';
import { newRecord, type Job } from '../../src/jobs/model/job.ts';

/** The processes of a job are looked for by its id, on the whole machine, and test files run side by side. */
const ofThisFile = randomBytes(3).toString('hex');

/** An id that sorts by `number`, and that no other test file has. */
export function sampleId(number: number): string {
  return `job-${1_700_000_000_000 + number}-${ofThisFile}`;
}

/** The row of a job in the index of a cluster. */
export const sampleRow = {
  id: 'job-1-abcdef',
  state: 'queued',
  action: 'up',
  instance: null,
  workdir: '/labs',
  workspace: null,
  labels: {},
  createdAt: '2026-01-02T03:04:05.000Z',
  finishedAt: null,
  requestedBy: null,
  cleanupOf: null,
  host: 'one',
};

/** A sound record of a queued job, with changes. */
export function sampleJob(changes: Partial<Job> = {}): Job {
  return newRecord({
    id: sampleId(1),
    action: 'up',
    state: 'queued',
    createdAt: '2026-01-02T03:04:05.678Z',
    workdir: '/labs/demo',
    command: ['/bin/true'],
    request: { action: 'up' },
    timeoutMs: 60_000,
    ...changes,
  });
}
