/** The record of a job: what it is, the states it can be in, and the only ways from one state to the next. */
import { z } from 'zod';
import { actions, specOf } from '../../labs/actions.ts';

export const jobStates = ['queued', 'running', 'canceling', 'success', 'failed', 'canceled'] as const;
export type JobState = (typeof jobStates)[number];

/** docs/architecture.md draws this table. A terminal state has no way out. */
export const transitions: Readonly<Record<JobState, readonly JobState[]>> = {
  queued: ['running', 'canceled'],
  running: ['canceling', 'success', 'failed', 'queued'],
  canceling: ['canceled', 'success', 'failed'],
  success: [],
  failed: [],
  canceled: [],
};

const reasons = [
  'exited',
  'signaled',
  'canceled',
  'timeout',
  'spawn-error',
  'log-limit',
  'interrupted',
] as const;
export type JobReason = (typeof reasons)[number];

const time = z.iso.datetime();

/** `job-<epoch ms>-<6 hex>`. More digits than a number holds exactly would make the ids of all later jobs useless. */
export const jobIdPattern = /^job-\d{1,15}-[0-9a-f]{6}$/;

/** Why the service ends a job, who asked for that (null: nobody by name), and when. */
const stopRequestSchema = z.object({
  reason: z.enum(['canceled', 'timeout', 'log-limit']),
  by: z.string().nullable(),
  at: time,
});
export type StopRequest = z.infer<typeof stopRequestSchema>;

/** What `job.json` holds. Times are RFC 3339 UTC, sizes bytes, durations ms. */
export const jobSchema = z.object({
  id: z.string().regex(jobIdPattern),
  action: z.enum(actions),
  state: z.enum(jobStates),
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  error: z.string().nullable(),
  workdir: z.string(),
  reason: z.enum(reasons).nullable(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  /** The exact argument list, program first. */
  command: z.array(z.string()).min(1),
  request: z.record(z.string(), z.unknown()),
  warnings: z.array(z.string()),
  instance: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  requestedBy: z.string().nullable(),
  retryOf: z.string().nullable(),
  /** The `up` that failed or was ended half-way, and whose lab this `down` takes away. */
  cleanupOf: z.string().nullable().default(null),
  /** The `down` that was queued when this `up` failed or was ended half-way. */
  cleanupJobId: z.string().nullable().default(null),
  /** Whether it failed or was ended half-way, and something of a lab may run on, or hold its directory. */
  mayHaveLeftLab: z.boolean().default(false),
  /** The key under which the client may ask for this job again, and a digest of what it asked for. */
  idempotency: z.object({ key: z.string(), fingerprint: z.string() }).nullable().default(null),
  timeoutMs: z.int().positive(),
  /** Set durably before the first signal is sent, so that a crash in between does not forget the cancel. */
  stopRequest: stopRequestSchema.nullable(),
  /** Bytes of the log that belong to the job: what a stray writes later does not. Null before its end, or when unknown. */
  logSize: z.int().nullable(),
  progress: z.object({ message: z.string(), at: time }).nullable(),
  leftovers: z.array(z.int()),
});

export type Job = Readonly<z.infer<typeof jobSchema>>;

export function isTerminal(state: JobState): boolean {
  return transitions[state].length === 0;
}

/**
 * The job in its next state.
 * @throws Error when there is no such way: that is a bug, never a client's fault.
 */
export function transition(job: Job, to: JobState, changes: Partial<Job> = {}): Job {
  if (!transitions[job.state].includes(to))
    throw new Error(`illegal transition of ${job.id}: ${job.state} to ${to}`);
  return { ...job, ...changes, state: to };
}

/** The job as it is when it is canceled before anything of it was started. */
export function cancelUnstarted(job: Job, by: string | null): Job {
  const error = `canceled${by === null ? '' : ` by ${by}`} before it started`;
  const finishedAt = new Date().toISOString();
  return transition(job, 'canceled', { finishedAt, reason: 'canceled', error, logSize: 0 });
}

/** The job as it is when it turns out that nothing of it was started, and it is to wait for its turn again. */
export function putBack(job: Job): Job {
  return transition(job, 'queued', { startedAt: null, stopRequest: null });
}

/** The lock that a job takes: jobs with the same key run one after the other; null runs at any time. */
export function lockKey(job: Pick<Job, 'action' | 'workdir'>): string | null {
  return specOf(job.action).locksWorkdir ? job.workdir : null;
}

/** When a client may want that taken away which a job leaves. */
export type CleanUpField = 'onCancel' | 'onFailure';

/** Whether its client wants that taken away which the job leaves. */
export function wantsCleanUp(
  { action, request }: Pick<Job, 'action' | 'request'>,
  when: CleanUpField,
): boolean {
  const { cleanedUpBy } = specOf(action);
  return cleanedUpBy !== undefined && request[when] === cleanedUpBy.action;
}
