import { z } from 'zod';
import { actions } from '../../labs/actions.ts';
import { directoryNamed } from '../../labs/working-directory.ts';
import { jobIdPattern, jobStates } from '../../jobs/model/job.ts';
import { jobRequestSchema } from '../../jobs/model/job-request.ts';
import { jobViewSchema } from '../../jobs/model/job-view.ts';
import { acceptedJob, acceptedReplies } from './accepted-job.ts';
import { jobPageText } from '../reply/job-text.ts';
import { idempotencyClaim } from '../request/idempotency-key.ts';
import { listParameter, wholeNumberParameter } from '../request/query.ts';
import { defineRoute, jsonReply, noParams, noQuery } from '../route.ts';

const once = z.string({ error: 'must be given once' });

const listSchema = z.object({
  state: listParameter(z.enum(jobStates, { error: `must be one of ${jobStates.join(', ')}` })),
  action: z.enum(actions, { error: `must be one of ${actions.join(', ')}` }).optional(),
  instance: once.optional(),
  workdir: once.optional(),
  label: z.preprocess(
    (given) => (given === undefined ? [] : [given].flat()),
    z.array(z.string().regex(/^[^=]/, 'must be the name of a label, or name=value')),
  ),
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
    const { state, action, instance, workdir, label, limit, cursor } = query;
    const page = await jobs.list({
      limit,
      labels: label,
      ...(state.length > 0 && { states: state }),
      ...(action && { action }),
      ...(instance !== undefined && { instance }),
      ...(workdir !== undefined && { workdir: await directoryNamed(workdir, process.cwd()) }),
      ...(cursor !== undefined && { cursor }),
    });
    const text = jobPageText(page);
    if (page.nextCursor === null) return { kind: 'json', status: 200, value: page, text };
    // A label may hold question marks: only the first one begins the query.
    const next = new URLSearchParams(req.originalUrl.replace(/^[^?]*/, ''));
    next.set('cursor', page.nextCursor);
    const headers = { Link: `<${config.basePath}/jobs?${next.toString()}>; rel="next"` };
    return { kind: 'json', status: 200, value: page, text, headers };
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
