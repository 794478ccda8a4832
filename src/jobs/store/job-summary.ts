import * as z from 'zod';
import { filesSizeNow, fileSizeNow } from '../../lib/files/file-size.ts';
import { isTerminal, jobSchema, listedFields, pickFields, type Job } from '../model/job.ts';
import type { JobPaths } from './job-files.ts';

/**
 * The data that lists, filters and retention need without opening the record. A new field needs no new version of the
 * index file: a line without the field does not match this schema, and its job is read from its record.
 */
export const summarySchema = jobSchema.pick(listedFields).extend({
  /** Bytes in the files of a finished job: its log, its artifacts and the topology that came with the request. 0 before the end. */
  size: z.int().min(0),
});

export type JobSummary = Readonly<z.infer<typeof summarySchema>>;

export function isFinished(summary: JobSummary): boolean {
  return isTerminal(summary.state);
}

type FilesOf = Pick<JobPaths, 'topology' | 'artifacts'>;

/** Whether the topology came with the request, and is kept beside the record. */
function keepsTopology({ request }: Job): boolean {
  return request['topology'] !== undefined || request['topologyUrl'] !== undefined;
}

/** Looks at the sizes when the job has ended: all was written before that. */
function sizeOf(job: Job, { topology, artifacts }: FilesOf): number {
  if (!isTerminal(job.state)) return 0;
  const topologySize = keepsTopology(job) ? (fileSizeNow(topology) ?? 0) : 0;
  // Artifacts come with a result: without one, no directory is read.
  const artifactsSize = job.result === null ? 0 : filesSizeNow(artifacts);
  return (job.logSize ?? 0) + topologySize + artifactsSize;
}

export function summarize(job: Job, files: FilesOf): JobSummary {
  return { ...pickFields(listedFields, job), size: sizeOf(job, files) };
}
