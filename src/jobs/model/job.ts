/** The record of a job: what it is, the states it can be in, and the only ways from one state to the next. */
import * as z from 'zod';
import { actions, specOf } from '../../labs/model/actions.ts';
import { gitCommitSchema } from '../../labs/model/git-source.ts';
import { jobResultSchema } from '../../labs/model/job-result.ts';

/**
 * The metadata of a schema stands in the description of the API: `description` with units, `id` where clients get a
 * type of that name. `documentedAs` stands there in the place of what zod would make of a schema.
 */
export const jobStates = ['queued', 'running', 'canceling', 'success', 'failed', 'canceled'] as const;
export type JobState = (typeof jobStates)[number];

export const jobStateMeta = {
  id: 'JobState',
  description:
    'Where a job is: `queued`, `running`, `canceling`, and at last `success`, `failed` or `canceled`, which never change.',
};

export const actionMeta = { id: 'Action', description: 'The operation of the lab CLI.' };

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

const reasonSchema = z.enum(reasons).meta({
  id: 'JobReason',
  description:
    'How the job ended: `exited` by itself with an exit code; `signaled` from outside; `canceled`; `timeout`; `spawn-error`: the lab CLI could not be started; `log-limit`: it printed too much; `interrupted`: the service or the machine went down, and the end was not observed.',
});

const progressSchema = z
  .object({
    message: z.string().describe('The line, without escape sequences; at most 200 characters.'),
    at: time.describe('When the log last grew (RFC 3339, UTC).'),
  })
  .meta({ id: 'JobProgress', description: 'The last line of the log that tells a person something.' });

/** `job-<epoch ms>-<6 hex>`. More digits than a number holds exactly would make the ids of all later jobs useless. */
export const jobIdPattern = /^job-\d{1,15}-[0-9a-f]{6}$/;

/** Why the service ends a job, the user that asked for it (null: unknown, or the service itself), and when. */
const stopRequestSchema = z.object({
  reason: z.enum(['canceled', 'timeout', 'log-limit']),
  by: z.string().nullable(),
  at: time,
});
export type StopRequest = z.infer<typeof stopRequestSchema>;

/** The content of `job.json`. Times are RFC 3339 UTC, sizes bytes, durations ms. */
export const jobSchema = z.object({
  id: z.string().regex(jobIdPattern).describe('`job-<ms since 1970>-<6 hex>`: sorts by time.'),
  action: z.enum(actions).meta(actionMeta),
  state: z.enum(jobStates).meta(jobStateMeta),
  createdAt: time.describe('When it was accepted (RFC 3339, UTC).'),
  startedAt: time.nullable().describe('When the lab CLI was started (RFC 3339, UTC); null before.'),
  finishedAt: time
    .nullable()
    .describe(
      'When it ended (RFC 3339, UTC); of an `interrupted` job, when that was found out; null before.',
    ),
  error: z
    .string()
    .nullable()
    .describe(
      'One sentence for a person: why it is not `success`, as far as that is known. It begins with the cause; `exitCode` and `signal` tell how the lab CLI ended.',
    ),
  workdir: z.string().describe('The directory that it runs in: absolute, without symbolic links.'),
  workspace: z
    .string()
    .nullable()
    .default(null)
    .describe('The workspace that the directory is, or is in; null for any other directory.'),
  source: gitCommitSchema
    .nullable()
    .default(null)
    .describe('The commit whose files were put into the workspace for it; null without `source`.'),
  reason: reasonSchema.nullable().describe('How it came to its end; null before.'),
  exitCode: z
    .int()
    .nullable()
    .describe('The exit code of the lab CLI; null if a signal ended it, or if the end was not observed.'),
  signal: z.string().nullable().describe('The signal that ended the lab CLI, such as `SIGKILL`, or null.'),
  command: z.array(z.string()).min(1).describe('The exact argument list, program first.'),
  request: z.record(z.string(), z.unknown()),
  cli: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'The lab CLI that it is for, as `labClis` of `GET /` calls it; null for a job of a version that did not write it down.',
    ),
  warnings: z
    .array(z.string())
    .describe('Sentences about what was ignored in the request, and what was found that is no failure.'),
  instance: z.string().nullable().describe('The lab instance, as in the status; null if unknown.'),
  labels: z.record(z.string(), z.string()).describe('The labels of the request.'),
  requestedBy: z.string().nullable().describe('The user who submitted it; null without authentication.'),
  retryOf: z.string().nullable().describe('The id of the job whose request this one repeats, or null.'),
  cleanupOf: z
    .string()
    .nullable()
    .default(null)
    .describe('The id of the `up` that failed or was ended half-way, and whose lab this `down` takes away.'),
  leaseOf: z
    .string()
    .nullable()
    .default(null)
    .describe('The id of the `up` whose lab this `down` takes away because its lease is over.'),
  replacedBy: z
    .string()
    .nullable()
    .default(null)
    .describe('The id of the `up` with `replace` that this `down` makes room for.'),
  cleanupJobId: z
    .string()
    .nullable()
    .default(null)
    .describe('The id of the `down` that was queued when this `up` failed or was ended half-way.'),
  mayHaveLeftLab: z
    .boolean()
    .default(false)
    .describe(
      'Whether it failed or was ended half-way, and something of a lab may run on, or hold its directory.',
    ),
  result: jobResultSchema
    .nullable()
    .default(null)
    .describe(
      'The result of `validate` and `exec`; null for other actions, before the end, and if the output could not be parsed.',
    ),
  /** Of the lab that it starts; null if unknown, or if it starts none. */
  nodeCount: z.int().min(0).nullable().default(null),
  /** The key under which the client may ask for this job again, and a digest of what it asked for. */
  idempotency: z.object({ key: z.string(), fingerprint: z.string() }).nullable().default(null),
  timeoutMs: z.int().positive(),
  /** Set durably before the first signal is sent, so that a crash in between does not forget the cancel. */
  stopRequest: stopRequestSchema.nullable(),
  /** Bytes of the log that belong to the job: what a stray writes later does not. Null before its end, or when unknown. */
  logSize: z.int().nullable(),
  progress: progressSchema.nullable().describe('How far it has come; null before it prints anything.'),
  leftovers: z.array(z.int()).describe('The ids of processes that could not be ended.'),
});

export type Job = Readonly<z.infer<typeof jobSchema>>;

/** The fields that the end of a job sets, with their values before the end. */
export const unendedFields = {
  finishedAt: null,
  error: null,
  reason: null,
  exitCode: null,
  signal: null,
  cleanupJobId: null,
  mayHaveLeftLab: false,
  result: null,
  logSize: null,
  leftovers: [],
} satisfies Partial<Job>;

/** The value of each field that a new job may lack. A field that is not listed here must be given when a job is made. */
export const unsetFields = {
  ...unendedFields,
  startedAt: null,
  workspace: null,
  source: null,
  cli: null,
  warnings: [],
  instance: null,
  labels: {},
  requestedBy: null,
  retryOf: null,
  cleanupOf: null,
  leaseOf: null,
  replacedBy: null,
  nodeCount: null,
  idempotency: null,
  stopRequest: null,
  progress: null,
} satisfies Partial<Job>;

/** The fields that clients do not see. */
export const privateFields = {
  nodeCount: true,
  timeoutMs: true,
  stopRequest: true,
  idempotency: true,
} as const;

/**
 * The fields that lists and filters need without opening the record: a line of `index.jsonl`, and a row in the index of
 * a cluster.
 */
export const listedFields = {
  id: true,
  state: true,
  action: true,
  instance: true,
  workdir: true,
  workspace: true,
  labels: true,
  createdAt: true,
  finishedAt: true,
  requestedBy: true,
  idempotency: true,
  cleanupOf: true,
} as const satisfies Partial<Record<keyof Job, true>>;

/** The values of the fields that `shape` names, in its order. */
export function pickFields<Shape extends Readonly<Partial<Record<keyof Job, unknown>>>>(
  shape: Shape,
  values: Pick<Job, keyof Shape & keyof Job>,
): Pick<Job, keyof Shape & keyof Job> {
  const names = Object.keys(shape) as (keyof Shape & keyof Job)[];
  return Object.fromEntries(names.map((name) => [name, values[name]])) as typeof values;
}

/** A record with the given fields; the others have the values of `unsetFields`. */
export function newRecord(
  given: Omit<Job, keyof typeof unsetFields> & Partial<Pick<Job, keyof typeof unsetFields>>,
): Job {
  return pickFields(jobSchema.shape, { ...unsetFields, ...given });
}

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
