import { jobViewSchema, type JobView } from '../../jobs/model/job-view.ts';
import type { HttpContext } from '../context.ts';
import { jsonReply, type Reply } from '../route.ts';

export const acceptedReplies = { 202: jsonReply('The job, queued', jobViewSchema) };

/** 202 with a job that was submitted, now or by an earlier request with the same `Idempotency-Key`. */
export function acceptedJob(
  { job, isReplayed }: { readonly job: JobView; readonly isReplayed: boolean },
  { config }: HttpContext,
): Reply {
  const headers = {
    Location: `${config.basePath}/jobs/${job.id}`,
    ...(isReplayed && { 'Idempotency-Replayed': 'true' }),
  };
  return { kind: 'json', status: 202, value: job, headers };
}
