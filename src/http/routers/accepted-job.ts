import { jobViewSchema, type JobView } from '../../jobs/model/job-view.ts';
import type { HttpContext } from '../context.ts';
import { jsonReply, type Reply } from '../route.ts';

export const acceptedReplies = {
  202: jsonReply('The job: queued, or as it is now when an earlier request made it.', jobViewSchema, [
    'Location',
    'Idempotency-Replayed',
  ]),
};

/** What a new job may be refused with. */
export const submissionErrors = [
  'invalid-json',
  'forbidden-path',
  'forbidden-host',
  'workdir-not-found',
  'topology-not-found',
  'instance-not-found',
  'workdir-busy',
  'payload-too-large',
  'idempotency-key-reused',
  'queue-full',
  'lab-cli-failed',
  'topology-download-failed',
  'shutting-down',
  'disk-full',
  'storage-fault',
  'lab-cli-missing',
  'lab-cli-timeout',
] as const;

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
