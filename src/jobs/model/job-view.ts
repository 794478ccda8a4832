/** A job as clients see it. From `id` to `workdir`, names and values are those of `netlab api`. */
import { z } from 'zod';
import { jobSchema } from './job.ts';

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
  });

export type JobView = Readonly<z.infer<typeof jobViewSchema>>;
