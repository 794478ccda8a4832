import { jobViewSchema, type JobView } from '../../jobs/model/job-view.ts';
import type { HttpContext } from '../context.ts';
import { jsonReply, type Reply } from '../route.ts';

const linkedOperations = {
  getJob: 'Its state and result.',
  getJobLog: 'Its output.',
  cancelJob: 'Cancels it.',
  retryJob: 'Submits it again after it has ended.',
  removeJob: 'Removes it after it has ended.',
} as const;

/** Links from a reply with a job to the operations on it, for programs that explore the API by its description. */
export const jobLinks = Object.fromEntries(
  Object.entries(linkedOperations).map(([operationId, description]) => [
    operationId,
    { operationId, description, parameters: { id: '$response.body#/id' } },
  ]),
);

export const acceptedReplies = {
  202: {
    ...jsonReply(
      'The job: queued, or in its current state if an earlier request with the same key made it.',
      jobViewSchema,
      ['Location', 'Idempotency-Replayed'],
    ),
    links: jobLinks,
  },
};

/** The error codes of a new job. */
export const submissionErrors = [
  'invalid-json',
  'forbidden-path',
  'forbidden-host',
  'workdir-not-found',
  'workspace-not-found',
  'topology-not-found',
  'source-not-found',
  'instance-not-found',
  'workdir-busy',
  'no-free-id',
  'payload-too-large',
  'idempotency-key-reused',
  'queue-full',
  'over-quota',
  'lab-cli-failed',
  'topology-download-failed',
  'source-failed',
  'workspace-busy',
  'archive-refused',
  'quota-exceeded',
  'not-supported',
  'conflict',
  'host-not-found',
  'host-unavailable',
  'cluster-unavailable',
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
  const about = { job: job.id, action: job.action, workdir: job.workdir };
  return { kind: 'json', status: 202, value: job, headers, about };
}
