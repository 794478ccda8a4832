import { z } from 'zod';
import { jobViewSchema } from '../../jobs/model/job-view.ts';
import { AppError, invalidField, invalidRequest } from '../../lib/app-error.ts';
import { misspelt } from '../../lib/did-you-mean.ts';
import { issueWords } from '../../lib/issue-words.ts';
import { acceptedJob, acceptedReplies } from './accepted-job.ts';
import { jobText } from '../reply/job-text.ts';
import { streamSignal } from '../reply/stream.ts';
import { idempotencyClaim } from '../request/idempotency-key.ts';
import { secondsParameter } from '../request/query.ts';
import { defineRoute, jsonReply, noQuery } from '../route.ts';

/** How long the reply to a cancel waits for the end of the job. */
const cancelWaitMs = 3_000;

const jobParams = z.object({ id: z.string() });

export const getJob = defineRoute({
  method: 'get',
  path: '/jobs/:id',
  operationId: 'getJob',
  summary: 'A job, at once or as soon as it has ended',
  params: jobParams,
  query: z.object({ wait: secondsParameter(60).default(0) }),
  replies: { 200: jsonReply('The job', jobViewSchema) },
  handler: async ({ params: { id }, query: { wait }, res, context: { jobs, shutdown } }) => {
    const job =
      wait === 0
        ? await jobs.get(id)
        : await jobs.wait(id, { ms: wait * 1000, signal: streamSignal(res, shutdown) });
    const { text, etag } = jobText(job);
    // The tag is that of the body, so the progress of a running job changes it too.
    const headers = { 'Cache-Control': 'private, no-cache', ETag: etag };
    return { kind: 'json', status: 200, value: job, text, headers };
  },
});

export const removeJob = defineRoute({
  method: 'delete',
  path: '/jobs/:id',
  operationId: 'removeJob',
  summary: 'Removes a finished job with its log',
  params: jobParams,
  query: noQuery,
  replies: { 204: { description: 'It is gone', content: {} } },
  handler: async ({ params, context }) => {
    await context.jobs.remove(params.id);
    return { kind: 'empty' };
  },
});

export const retryJob = defineRoute({
  method: 'post',
  path: '/jobs/:id/retry',
  operationId: 'retryJob',
  summary: 'Submits what a finished job was asked to do once more',
  params: jobParams,
  query: noQuery,
  body: {
    schema: z.object({}).nullish(),
    parse: (body) => {
      const isEmpty = body === undefined || body === null || body === '';
      if (isEmpty || (typeof body === 'object' && Object.keys(body).length === 0)) return undefined;
      throw invalidField('body', 'must be empty: the request is repeated as it was');
    },
  },
  replies: acceptedReplies,
  handler: async ({ params: { id }, req, context }) => {
    const claim = idempotencyClaim(req, `POST /jobs/${id}/retry`);
    return acceptedJob(await context.jobs.retry(id, { requestedBy: req.user, claim }), context);
  },
});

const cancelSchema = z.object({ force: z.boolean({ error: 'must be true or false' }).default(false) });

export const cancelJob = defineRoute({
  method: 'post',
  path: '/jobs/:id/cancel',
  operationId: 'cancelJob',
  summary: 'Cancels a job',
  params: jobParams,
  query: noQuery,
  body: {
    schema: cancelSchema,
    parse: (body) => {
      const parsed = cancelSchema.safeParse(body ?? {}, { error: issueWords });
      if (!parsed.success) throw invalidRequest(parsed.error.issues);
      const nearMiss = Object.keys(body ?? {}).find((name) => name !== 'force' && misspelt(name, ['force']));
      if (nearMiss !== undefined) throw invalidField(nearMiss, 'unknown field; did you mean "force"?');
      return parsed.data;
    },
  },
  replies: {
    200: jsonReply('The job, canceled', jobViewSchema),
    202: jsonReply('The job, canceling: its end takes longer than 3 seconds', jobViewSchema),
  },
  handler: async ({ params, body: { force }, req, context: { jobs } }) => {
    const job = await jobs.cancel(params.id, { by: req.user, force, waitMs: cancelWaitMs });
    if (job.state !== 'canceling' && job.reason !== 'canceled') {
      const message = `the job ended before it could be canceled (${job.reason}); its state is ${job.state}`;
      throw new AppError('conflict', message, { extra: { state: job.state } });
    }
    return { kind: 'json', status: job.state === 'canceling' ? 202 : 200, value: job };
  },
});
