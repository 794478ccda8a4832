import * as z from 'zod';
import { jobViewSchema } from '../../jobs/model/job-view.ts';
import { AppError, invalidField } from '../../lib/app-error.ts';
import { misspelt } from '../../lib/text/did-you-mean.ts';
import { acceptedJob, acceptedReplies, jobLinks, submissionErrors } from './accepted-job.ts';
import { jobText } from '../reply/job-text.ts';
import { streamSignal } from '../reply/stream.ts';
import { idempotencyClaim } from '../request/idempotency-key.ts';
import { secondsParameter } from '../request/query.ts';
import { checked } from '../request/checked.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, jsonReply, noQuery, notModified } from '../route.ts';

/** How long the reply to a cancel waits for the end of the job. */
const cancelWaitMs = 3_000;

export const jobParams = z.object({ id: z.string().describe('The `id` of the job.') });

export const getJob = defineRoute({
  method: 'get',
  path: '/jobs/:id',
  permission: 'read',
  about: 'job',
  tag: 'jobs',
  operationId: 'getJob',
  summary: 'A job, at once or as soon as it has ended',
  description:
    'With `wait`, one request takes the place of many: the reply comes when the job has ended, the time is up, or the service stops.',
  params: jobParams,
  query: z.object({
    wait: secondsParameter(60)
      .default(0)
      .describe('How long to wait for the end of the job, in seconds; fractions are allowed.'),
  }),
  headers: ['If-None-Match'],
  replies: { 200: jsonReply('The job.', jobViewSchema, ['ETag', 'Cache-Control']), 304: notModified },
  errors: ['job-not-found', 'storage-fault'],
  handler: async ({ job, query: { wait }, res, context: { shutdown } }) => {
    const view =
      wait === 0
        ? await job.view()
        : await job.wait({ ms: wait * 1000, signal: streamSignal(res, shutdown) });
    const { text, etag } = jobText(view);
    // The tag is that of the body, so the progress of a running job changes it too.
    const headers = { 'Cache-Control': 'private, no-cache', ETag: etag };
    return { kind: 'json', status: 200, value: view, text, headers };
  },
});

export const getJobTopology = defineRoute({
  method: 'get',
  path: '/jobs/:id/topology',
  permission: 'read',
  about: 'job',
  tag: 'jobs',
  operationId: 'getJobTopology',
  summary: 'The topology that came with a job',
  description:
    'As text: the `topology` of the request, or the file that the service fetched from `topologyUrl`. A job that read another file is 404 `topology-not-found`.',
  params: jobParams,
  query: noQuery,
  replies: {
    200: { description: 'The topology.', content: { 'text/yaml': 'bytes' }, headers: ['Cache-Control'] },
  },
  errors: ['job-not-found', 'topology-not-found', 'storage-fault'],
  handler: async ({ job }) => ({
    kind: 'bytes',
    bytes: Buffer.from(await job.topology()),
    headers: { 'Content-Type': 'text/yaml; charset=utf-8', 'Cache-Control': 'private, no-cache' },
  }),
});

export const removeJob = defineRoute({
  method: 'delete',
  path: '/jobs/:id',
  permission: 'operate',
  about: 'job',
  tag: 'jobs',
  operationId: 'removeJob',
  summary: 'Removes a finished job with its log',
  description:
    'Its record, its log, its inline topology and its own artifacts are gone for good. The lab and the working directory are not touched.',
  params: jobParams,
  query: noQuery,
  replies: { 204: { description: 'It is gone.', content: {} } },
  errors: ['job-not-found', 'job-active', 'storage-fault'],
  handler: async ({ job }) => {
    await job.remove();
    return { kind: 'empty' };
  },
});

export const retryJob = defineRoute({
  method: 'post',
  path: '/jobs/:id/retry',
  permission: 'operate',
  about: 'job',
  tag: 'jobs',
  operationId: 'retryJob',
  summary: 'Submits the request of a finished job once more',
  description:
    'The recorded request, an inline topology included, in the same directory (with `"workspace": "auto"` in one of its own), as a new job whose `retryOf` names this one.',
  params: jobParams,
  query: noQuery,
  body: {
    schema: undefined,
    parse: (body) => {
      const isEmpty = body === undefined || body === null || body === '';
      if (isEmpty || (typeof body === 'object' && Object.keys(body).length === 0)) return undefined;
      throw invalidField('body', 'must be empty: the request is repeated as it was');
    },
  },
  headers: ['Idempotency-Key'],
  replies: acceptedReplies,
  errors: [...submissionErrors, 'job-not-found', 'job-active'],
  handler: async ({ job, req, context }) => {
    const claim = idempotencyClaim(req, `POST /jobs/${job.id}/retry`);
    return acceptedJob(await job.retry({ requestedBy: userOf(req), claim }), context);
  },
});

const cancelSchema = z
  .object({
    force: z
      .boolean({ error: 'must be true or false' })
      .default(false)
      .describe('Kills at once, without a chance to tidy up. Default: false.'),
  })
  .meta({ id: 'CancelRequest', description: 'How to end a job.' });

export const cancelJob = defineRoute({
  method: 'post',
  path: '/jobs/:id/cancel',
  permission: 'operate',
  about: 'job',
  tag: 'jobs',
  operationId: 'cancelJob',
  summary: 'Cancels a job',
  description:
    'Interrupt, terminate, kill, then a sweep for what escaped; `leftovers` of the job lists what could not be ended. May be repeated.',
  params: jobParams,
  query: noQuery,
  body: {
    schema: cancelSchema,
    isOptional: true,
    parse: (body) => {
      const wanted = checked(cancelSchema, body ?? {});
      const nearMiss = Object.keys(body ?? {}).find((name) => name !== 'force' && misspelt(name, ['force']));
      if (nearMiss !== undefined) throw invalidField(nearMiss, 'unknown field; did you mean "force"?');
      return wanted;
    },
  },
  replies: {
    200: { ...jsonReply('The job, canceled.', jobViewSchema), links: jobLinks },
    202: jsonReply('The job, canceling: its end takes longer than 3 seconds.', jobViewSchema),
  },
  errors: ['invalid-json', 'job-not-found', 'conflict', 'payload-too-large', 'storage-fault'],
  handler: async ({ job, body: { force }, req }) => {
    const view = await job.cancel({ by: userOf(req), force, waitMs: cancelWaitMs });
    if (view.state !== 'canceling' && view.reason !== 'canceled') {
      const message = `the job ended before it could be canceled (${view.reason}); its state is ${view.state}`;
      throw new AppError('conflict', message, { extra: { state: view.state } });
    }
    return { kind: 'json', status: view.state === 'canceling' ? 202 : 200, value: view };
  },
});
