/** The events, as the journal stores them and clients receive them. Times are RFC 3339 UTC. */
import * as z from 'zod';
import { jobSchema } from '../../jobs/model/job.ts';
import { faultSchema } from '../../labs/model/fault.ts';

export const eventTypes = ['job', 'lab', 'service'] as const;
export type EventType = (typeof eventTypes)[number];

const at = z.iso.datetime();

export const goneJobSchema = jobSchema.pick({
  id: true,
  action: true,
  state: true,
  createdAt: true,
  finishedAt: true,
  workdir: true,
  workspace: true,
  instance: true,
  labels: true,
  requestedBy: true,
  cleanupOf: true,
});

/** A job without what is long: its request, its command and its warnings are in `GET /jobs/ID`. */
export const eventJobSchema = goneJobSchema.extend(
  jobSchema.pick({
    startedAt: true,
    error: true,
    reason: true,
    exitCode: true,
    signal: true,
    retryOf: true,
    cleanupJobId: true,
    mayHaveLeftLab: true,
  }).shape,
);

export type EventJob = Readonly<z.infer<typeof eventJobSchema>>;
export type GoneJob = Readonly<z.infer<typeof goneJobSchema>>;

export const eventLabSchema = z
  .object({
    instance: z.string().describe('The lab instance, as the status calls it.'),
    cli: z
      .string()
      .nullable()
      .default(null)
      .describe('The lab CLI of the lab, by its name in `GET /`; null in events of earlier versions.'),
    directory: z
      .string()
      .nullable()
      .describe('The directory that the lab lives in; null when the lab CLI does not tell it.'),
    status: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe(
        "Its status, a document of the lab CLI's own; null if it exceeds 16 KiB. For a lab that is gone, its last status.",
      ),
    ready: z
      .boolean()
      .nullable()
      .default(null)
      .describe(
        'Whether all of its nodes are ready, as in `GET /labs`; null if that is unknown, and in events of earlier versions.',
      ),
  })
  .meta({ id: 'EventLab', description: 'A lab, as the status of the lab CLI tells it.' });

export type EventLab = Readonly<z.infer<typeof eventLabSchema>>;

/** The unique key of a lab: two lab CLIs may have labs with the same id. */
export function labKey({ cli, instance }: Pick<EventLab, 'cli' | 'instance'>): string {
  return `${cli ?? ''} ${instance}`;
}

const jobChangeSchema = z.discriminatedUnion('change', [
  z.object({ change: z.enum(['created', 'state']), at, job: eventJobSchema }),
  z.object({ change: z.literal('removed'), at, job: goneJobSchema }),
]);

/** The lease of a lab is nearly over, is over, or could not be ended. Nothing is said of the lab's status. */
const leaseChangeSchema = z.object({
  change: z.enum(['expiring', 'expired', 'expiry-failed']),
  at,
  lab: eventLabSchema,
  expiresAt: z.iso.datetime(),
  /** The `down`; with `expired` and `expiry-failed`. */
  jobId: z.string().nullable().optional(),
  /** Both with `expiry-failed`. */
  why: z.string().optional(),
  nextTryAt: z.iso.datetime().optional(),
});

export type LeaseChange = Readonly<z.infer<typeof leaseChangeSchema>>;

/** A link or a node of a lab was broken on purpose, or works again. Nothing is said of the lab's status. */
const faultChangeSchema = z.object({
  change: z.enum(['fault-set', 'fault-healed']),
  at,
  lab: eventLabSchema,
  fault: faultSchema,
  /** With `fault-healed`. */
  why: z.string().optional(),
});

export type FaultChange = Readonly<z.infer<typeof faultChangeSchema>>;

const labChangeSchema = z.object({
  change: z.enum(['appeared', 'changed', 'ready', 'gone']),
  /** When the service saw it. */
  at,
  /** Of a lab that is gone, as it was known at last. */
  lab: eventLabSchema,
});

const serviceChangeSchema = z.object({
  change: z.enum(['started', 'stopping']),
  at,
  version: z.string(),
});

export const changeSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('job'), data: jobChangeSchema }),
  z.object({
    event: z.literal('lab'),
    data: z.discriminatedUnion('change', [labChangeSchema, leaseChangeSchema, faultChangeSchema]),
  }),
  z.object({ event: z.literal('service'), data: serviceChangeSchema }),
]);

/** Something that happened. */
export type Change = Readonly<z.infer<typeof changeSchema>>;

/** A change with its place in the feed. All who get it get the same object, so that it need be encoded once only. */
export interface FeedEvent {
  /** Rises from one event to the next, not always by one. */
  readonly number: number;
  /** By which a client resumes. */
  readonly id: string;
  readonly change: Change;
  /** How long it is as text, about. */
  readonly size: number;
}

/** The line of its log that a job printed last, of those that tell a person something. It has no place in the feed. */
export interface Progress {
  readonly job: EventJob;
  readonly message: string;
  readonly at: string;
}
