/** A job as clients see it. From `id` to `workdir`, names and values are those of `netlab api`. */
import * as z from 'zod';
import { jobSchema, pickFields, privateFields, type Job } from './job.ts';

export const webhookStateSchema = z
  .object({
    state: z
      .enum(['pending', 'delivered', 'gave-up', 'gone', 'dropped'])
      .describe(
        '`gave-up`: the receiver did not accept it for a day. `gone`: the receiver refuses all messages (410). `dropped`: too many messages wait for that receiver.',
      ),
    attempts: z
      .int()
      .min(0)
      .describe('How many times the message was sent that is on its way, else the last one.'),
    lastStatus: z.int().nullable().describe('HTTP status of the last answer; null when there was none.'),
    nextAttemptAt: z.iso
      .datetime()
      .nullable()
      .describe('When it is tried next (RFC 3339, UTC); null when it is not.'),
  })
  .meta({ id: 'WebhookState', description: 'How far the messages to the `callbackUrl` of a job have come.' });

export type WebhookState = Readonly<z.infer<typeof webhookStateSchema>>;

const jobWaitSchema = z
  .object({
    reason: z
      .enum(['workdir', 'capacity'])
      .describe(
        '`workdir`: another job uses its directory. `capacity`: its server runs as many jobs as it may (`LAB_API_MAX_RUNNING_JOBS`).',
      ),
    job: z.string().nullable().describe('The id of the job before it, with `workdir`; null otherwise.'),
  })
  .meta({ id: 'JobWait', description: 'Why a job waits.' });

/** The record without what is the service's own business, and with what no record holds. Times are RFC 3339 UTC. */
export const jobViewSchema = jobSchema
  .omit(privateFields)
  .extend({
    // Not checked against that schema: it is on record, and what a later version accepts may be less.
    request: jobSchema.shape.request.meta({
      documentedAs: { $ref: '#/components/schemas/JobRequest' },
      description: 'The accepted request. An inline topology is kept as a file and replaced by a note here.',
    }),
    logPath: z.string().describe('Where the log is on the lab server.'),
    host: z.string().nullable().describe('The lab server that has the job; null on a service of one host.'),
    stale: z
      .literal(true)
      .optional()
      .describe(
        'Present while the host of the job is away: the view comes from the index of the cluster. Unknown fields are null or empty.',
      ),
    queuePosition: z
      .int()
      .positive()
      .nullable()
      .describe('1 for the job that starts next; null for one that does not wait.'),
    waitsFor: jobWaitSchema.nullable().describe('Why it waits; null for a job that does not wait.'),
    logSize: z.int().min(0).describe('How long the log is so far, in bytes.'),
    webhook: webhookStateSchema
      .nullable()
      .describe(
        'How far the messages to `callbackUrl` have come; null without one, before the first message, and when that is very long ago.',
      ),
  })
  .meta({ id: 'Job', description: 'One run of one action by the lab CLI.' });

export type JobView = Readonly<z.infer<typeof jobViewSchema>>;

const publicShape = jobSchema.omit(privateFields).shape;

/** The part of a record that clients see. */
export function publicFields(job: Job): Omit<Job, keyof typeof privateFields> {
  return pickFields(publicShape, job);
}
