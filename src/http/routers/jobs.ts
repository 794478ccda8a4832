import { z } from 'zod';
import { actions } from '../../labs/actions.ts';
import { directoryNamed } from '../../labs/working-directory.ts';
import { actionMeta, jobIdPattern, jobStateMeta, jobStates } from '../../jobs/model/job.ts';
import { jobRequestSchema } from '../../jobs/model/job-request.ts';
import { jobViewSchema } from '../../jobs/model/job-view.ts';
import { acceptedJob, acceptedReplies, submissionErrors } from './accepted-job.ts';
import { idempotencyClaim } from '../request/idempotency-key.ts';
import { listParameter, wholeNumberParameter } from '../request/query.ts';
import { defineRoute, jsonReply, noParams, noQuery } from '../route.ts';

const once = z.string({ error: 'must be given once' });

const stateSchema = z.enum(jobStates, { error: `must be one of ${jobStates.join(', ')}` }).meta(jobStateMeta);
const actionSchema = z.enum(actions, { error: `must be one of ${actions.join(', ')}` }).meta(actionMeta);

const listSchema = z.object({
  state: listParameter(stateSchema).describe('Jobs in one of these states; repeated, or as a comma list.'),
  action: actionSchema.optional().describe('Jobs of this action.'),
  instance: once.optional().describe('Jobs of this lab instance.'),
  workdir: once
    .optional()
    .describe('Jobs that run in this directory; may be relative or lead through links, as in a request.'),
  label: z
    .preprocess(
      (given) => (given === undefined ? [] : [given].flat()),
      z.array(z.string().regex(/^[^=]/, 'must be the name of a label, or name=value')),
    )
    .describe('Jobs that have this label, `name` or `name=value`; repeated: all of them.'),
  limit: wholeNumberParameter(1, 500)
    .default(100)
    .describe('At most so many jobs; a page ends early at a mebibyte of records.'),
  cursor: once
    .regex(jobIdPattern, 'must be the nextCursor of the page before')
    .optional()
    .describe('The `nextCursor` of the page before: the jobs after that.'),
});

const pageSchema = z
  .object({
    jobs: z.array(jobViewSchema).describe('Newest first.'),
    nextCursor: z.string().nullable().describe('The `cursor` of the next page; null on the last one.'),
  })
  .meta({ id: 'JobPage', description: 'A page of jobs.' });

export const listJobs = defineRoute({
  method: 'get',
  path: '/jobs',
  tag: 'jobs',
  operationId: 'listJobs',
  summary: 'Jobs that match, newest first',
  description:
    'Every filter must match. `nextCursor` alone tells whether there is more: a page may be shorter than `limit`.',
  params: noParams,
  query: listSchema,
  replies: { 200: jsonReply('A page of jobs.', pageSchema, ['Link']) },
  errors: ['storage-fault'],
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
  tag: 'jobs',
  operationId: 'submitJob',
  summary: 'Submits a job',
  description:
    'Jobs of one directory run one after the other, in the order of their submission. Nothing is queued on an error. The body is read as JSON, whatever its type is said to be.',
  params: noParams,
  query: noQuery,
  body: {
    schema: jobRequestSchema,
    // Left to the job service: a key that belongs to another request is said before what is wrong with this one.
    parse: (body) => body,
  },
  headers: ['Idempotency-Key'],
  replies: acceptedReplies,
  errors: submissionErrors,
  handler: async ({ body, req, context }) => {
    const claim = idempotencyClaim(req, 'POST /jobs');
    return acceptedJob(await context.jobs.submit(body, { requestedBy: req.user, claim }), context);
  },
});
