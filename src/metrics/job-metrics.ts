/** The jobs by state, and the outcomes of the jobs that this service ran. */
import Counter from 'prom-client/lib/counter.js';
import Histogram from 'prom-client/lib/histogram.js';
import type Registry from 'prom-client/lib/registry.js';
import type { JobChange } from '../jobs/job-service.ts';
import { isTerminal } from '../jobs/model/job.ts';
import { actions } from '../labs/model/actions.ts';
import { addGauge } from './add-gauge.ts';

/** Jobs as they are at the moment. */
export interface JobNumbers {
  readonly queued: number;
  /** Those that are being canceled, too. */
  readonly running: number;
}

interface JobSources {
  readonly numbers: () => JobNumbers;
  /** They may change. */
  readonly limits: { readonly maxQueuedJobs: number; readonly maxRunningJobs: number };
}

/** From one second to two hours, as labs take. */
const runBuckets = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200];
const waitBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 1_800, 3_600, 7_200];

/** The jobs of the previous service, by what a start did with them. */
export const fates = ['queued', 'adopted', 'finished', 'interrupted'] as const;

/** Present from the first scrape on, so that the first job of a kind counts as a change. */
const usualOutcomes = [
  { state: 'success', reason: 'exited' },
  { state: 'failed', reason: 'exited' },
  { state: 'canceled', reason: 'canceled' },
] as const;

function secondsBetween(earlier: string, later: string): number {
  return Math.max(0, Date.parse(later) - Date.parse(earlier)) / 1_000;
}

export class JobMetrics {
  readonly #finished;
  readonly #wait;
  readonly #duration;
  readonly #killed;
  readonly #recovered;
  readonly #lost;
  readonly #logBytes;

  constructor(registry: Registry, sources: JobSources) {
    const registers = [registry];
    this.#finished = new Counter({
      name: 'lab_api_jobs_finished_total',
      help: 'Ended jobs by action, state (success, failed, canceled) and reason.',
      labelNames: ['action', 'state', 'reason'],
      registers,
    });
    for (const action of actions)
      for (const outcome of usualOutcomes) this.#finished.inc({ action, ...outcome }, 0);
    this.#wait = new Histogram({
      name: 'lab_api_job_queue_wait_seconds',
      help: 'Time from the submission of a job to its start, in seconds.',
      buckets: waitBuckets,
      registers,
    });
    this.#duration = new Histogram({
      name: 'lab_api_job_duration_seconds',
      help: 'Run time of ended jobs in seconds, by action.',
      labelNames: ['action'],
      buckets: runBuckets,
      registers,
    });
    this.#killed = new Counter({
      name: 'lab_api_jobs_killed_total',
      help: 'Jobs that needed SIGKILL after SIGINT and SIGTERM.',
      registers,
    });
    this.#recovered = new Counter({
      name: 'lab_api_jobs_recovered_total',
      help: 'Unfinished jobs found at the start, by fate: queued, adopted (still running), finished (while the service was away), interrupted.',
      labelNames: ['fate'],
      registers,
    });
    for (const fate of fates) this.#recovered.inc({ fate }, 0);
    this.#lost = new Counter({
      name: 'lab_api_jobs_lost_total',
      help: 'Accepted jobs with an unknown outcome; investigate unless 0.',
      registers,
    });
    this.#logBytes = new Counter({
      name: 'lab_api_job_log_bytes_total',
      help: 'Bytes in the logs of ended jobs.',
      registers,
    });
    this.#addNumbers(registry, sources);
  }

  #addNumbers(registry: Registry, { numbers, limits }: JobSources): void {
    const add = (name: string, help: string, look: () => number): void =>
      addGauge(registry, { name, help }, look);
    add('lab_api_jobs_queued', 'Jobs that wait for their turn.', () => numbers().queued);
    add('lab_api_jobs_running', 'Jobs that run, or are being canceled.', () => numbers().running);
    const mayWait = 'How many jobs may wait (LAB_API_MAX_QUEUED_JOBS).';
    add('lab_api_jobs_queued_limit', mayWait, () => limits.maxQueuedJobs);
    const mayRun = 'How many jobs may run at a time (LAB_API_MAX_RUNNING_JOBS).';
    add('lab_api_jobs_running_limit', mayRun, () => limits.maxRunningJobs);
  }

  /** For `JobService.onChange`. */
  readonly changed = (job: JobChange): void => {
    if (job.previousState === job.state) return;
    if (job.state === 'running' && job.startedAt !== null)
      this.#wait.observe(secondsBetween(job.createdAt, job.startedAt));
    if (isTerminal(job.state)) this.#ended(job);
  };

  #ended({ action, state, reason, startedAt, finishedAt, logSize }: JobChange): void {
    this.#finished.inc({ action, state, reason: reason ?? 'unknown' });
    if (reason === 'interrupted') this.#lost.inc();
    if (startedAt !== null && finishedAt !== null)
      this.#duration.observe({ action }, secondsBetween(startedAt, finishedAt));
    this.#logBytes.inc(logSize ?? 0);
  }

  /** A job would not end by itself. */
  readonly killed = (): void => this.#killed.inc();

  /** The jobs of the previous service, by what the start did with them. */
  recovered(counts: Readonly<Record<(typeof fates)[number], number>>): void {
    for (const fate of fates) this.#recovered.inc({ fate }, counts[fate]);
  }
}
