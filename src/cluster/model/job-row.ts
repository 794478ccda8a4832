/** A job in the index of the cluster, and as clients see it while its host is away. */
import * as z from 'zod';
import { jobSchema, listedFields, unsetFields, type Job } from '../../jobs/model/job.ts';
import type { JobView } from '../../jobs/model/job-view.ts';

export const jobRowSchema = jobSchema
  .pick(listedFields)
  .omit({ idempotency: true })
  .extend({
    // A newer host may have jobs of other kinds.
    action: z.string().transform((action) => action as Job['action']),
    // The id of the host: a row that was copied to another one is none.
    host: z.string().default(''),
  });

export type JobRow = Readonly<z.infer<typeof jobRowSchema>>;

/** The job as far as the index knows it: what it does not know is null, or empty. */
export function viewOfRow(row: JobRow, hostName: string): JobView {
  const { idempotency: _key, stopRequest: _stop, nodeCount: _nodes, ...unknown } = unsetFields;
  return {
    ...unknown,
    ...row,
    host: hostName,
    stale: true,
    command: ['(its host is away)'],
    request: { action: row.action },
    logSize: 0,
    logPath: '',
    queuePosition: null,
    waitsFor: null,
    webhook: null,
  };
}
