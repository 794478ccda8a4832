import { jobViewSchema, type JobView } from '../../jobs/model/job-view.ts';
import type { HttpContext } from '../context.ts';
import { jsonReply, type Reply } from '../route.ts';

const linkedOperations = {
  getJob: 'How it is.',
  getJobLog: 'What it prints.',
  cancelJob: 'To end it.',
  retryJob: 'To run it once more, when it has ended.',
  removeJob: 'To forget it, when it has ended.',
} as const;

/** From a reply with a job to what can be done with it: programs that walk through the API by its description follow them. */
export const jobLinks = Object.fromEntries(
  Object.entries(linkedOperations).map(([operationId, description]) => [
    operationId,
    { operationId, description, parameters: { id: '$response.body#/id' } },
  ]),
);

export const acceptedReplies = {
  202: {
    ...jsonReply('The job: queued, or as it is now when an earlier request made it.', jobViewSchema, [
      'Location',
      'Idempotency-Replayed',
    ]),
    links: jobLinks,
  },
};

/** What a new job may be refused with. */
export const submissionErrors = [
  'invalid-json',
  'forbidden-path',
  'forbidden-host',
  'workdir-not-found',
  'workspace-not-found',
  'topology-not-found',
  'instance-not-found',
  'workdir-busy',
  'no-free-id',
  'payload-too-large',
  'idempotency-key-reused',
  'queue-full',
  'lab-cli-failed',
  'topology-download-failed',
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
