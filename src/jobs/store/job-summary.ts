import * as z from 'zod';
import { fileSizeNow } from '../../lib/file-size.ts';
import { isTerminal, jobSchema, type Job } from '../model/job.ts';

/**
 * What lists, filters and retention need of a job without opening its record. A new field needs no new version of the
 * index file: lines without it do not fit the schema any more, and their jobs are read from their records.
 */
export const summarySchema = jobSchema
  .pick({
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
  })
  .extend({
    /** Bytes in the files of a finished job: its log and the topology that came with the request. 0 before the end. */
    size: z.int().min(0),
  });

export type JobSummary = Readonly<z.infer<typeof summarySchema>>;

export function isFinished(summary: JobSummary): boolean {
  return isTerminal(summary.state);
}

/** Whether the topology came with the request, and is kept beside the record. */
function keepsTopology({ request }: Job): boolean {
  return request['topology'] !== undefined || request['topologyUrl'] !== undefined;
}

/** Looks at the size of the topology when the job has ended: it does not change any more then. */
export function summarize(job: Job, topologyFile: string): JobSummary {
  const { id, state, action, instance, workdir, workspace, labels, createdAt, finishedAt } = job;
  const { requestedBy, idempotency, cleanupOf } = job;
  const topologySize = isTerminal(state) && keepsTopology(job) ? (fileSizeNow(topologyFile) ?? 0) : 0;
  const size = isTerminal(state) ? (job.logSize ?? 0) + topologySize : 0;
  return {
    id,
    state,
    action,
    instance,
    workdir,
    workspace,
    labels,
    createdAt,
    finishedAt,
    requestedBy,
    idempotency,
    cleanupOf,
    size,
  };
}
