import { z } from 'zod';
import { jobIdPattern } from '../../jobs/model/job.ts';
import { jobRequestSchema } from '../../jobs/model/job-request.ts';
import { jobViewSchema } from '../../jobs/model/job-view.ts';
import { acceptedJob, acceptedReplies } from './accepted-job.ts';
import { idempotencyClaim } from '../request/idempotency-key.ts';
import { jobFilterOf, jobFilterShape } from '../request/job-filter.ts';
import { once, wholeNumberParameter } from '../request/query.ts';
import { defineRoute, jsonReply, noParams, noQuery } from '../route.ts';

const listSchema = z.object({
  ...jobFilterShape,
  limit: wholeNumberParameter(1, 500).default(100),
  cursor: once.regex(jobIdPattern, 'must be the nextCursor of the page before').optional(),
});

export const listJobs = defineRoute({
  method: 'get',
  path: '/jobs',
  operationId: 'listJobs',
  summary: 'Jobs that match, newest first',
  params: noParams,
  query: listSchema,
  replies: {
    200: jsonReply(
      'A page of jobs; nextCursor is null on the last one',
      z.object({ jobs: z.array(jobViewSchema), nextCursor: z.string().nullable() }),
    ),
  },
  handler: async ({ query, req, context: { jobs, config } }) => {
    const { limit, cursor } = query;
    const filter = await jobFilterOf(query);
    const page = await jobs.list({ ...filter, limit, ...(cursor !== undefined && { cursor }) });
    if (page.nextCursor === null) return { kind: 'json', status: 200, value: page };
    // A label may hold question marks: only the first one begins the query.
    const next = new URLSearchParams(req.originalUrl.replace(/^[^?]*/, ''));
    next.set('cursor', page.nextCursor);
    const headers = { Link: `<${config.basePath}/jobs?${next.toString()}>; rel="next"` };
    return { kind: 'json', status: 200, value: page, headers };
  },
});

export const submitJob = defineRoute({
  method: 'post',
  path: '/jobs',
  operationId: 'submitJob',
  summary: 'Submits a job',
  params: noParams,
  query: noQuery,
  body: {
    schema: jobRequestSchema,
    // Left to the job service: a key that belongs to another request is said before what is wrong with this one.
    parse: (body) => body,
  },
  replies: acceptedReplies,
  handler: async ({ body, req, context }) => {
    const claim = idempotencyClaim(req, 'POST /jobs');
    return acceptedJob(await context.jobs.submit(body, { requestedBy: req.user, claim }), context);
  },
});
