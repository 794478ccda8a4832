/** A job as clients see it. From `id` to `workdir`, names and values are those of `netlab api`. */
import { z } from 'zod';
import { jobSchema } from './job.ts';

/** How far the messages to the `callbackUrl` of a job have come. */
export const webhookStateSchema = z.object({
  /**
   * `gave-up`: nobody took it for a day. `gone`: the receiver wants no more (410). `dropped`: too many messages wait for
   * that receiver.
   */
  state: z.enum(['pending', 'delivered', 'gave-up', 'gone', 'dropped']),
  /** How often the message was sent that is on its way, else the last one. */
  attempts: z.int().min(0),
  /** HTTP status of the last answer; null when there was none. */
  lastStatus: z.int().nullable(),
  /** When it is tried next; null when it is not. */
  nextAttemptAt: z.iso.datetime().nullable(),
});

export type WebhookState = Readonly<z.infer<typeof webhookStateSchema>>;

/** The record without what is the service's own business, and with what no record holds. Times are RFC 3339 UTC. */
export const jobViewSchema = jobSchema
  .omit({ timeoutMs: true, stopRequest: true, idempotency: true })
  .extend({
    /** Where the log is on the lab server. */
    logPath: z.string(),
    /** The lab server that has the job; null on a service of one host. */
    host: z.string().nullable(),
    /** 1 for the job that starts next; null for one that does not wait. */
    queuePosition: z.int().positive().nullable(),
    /** Bytes in the log so far. */
    logSize: z.int().min(0),
    /** Null without a `callbackUrl`, before the first message to it, and when that is very long ago. */
    webhook: webhookStateSchema.nullable(),
  });

export type JobView = Readonly<z.infer<typeof jobViewSchema>>;
