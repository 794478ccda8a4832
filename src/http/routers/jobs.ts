import type { Request } from 'express';
import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import type { JobPage } from '../../jobs/job-service.ts';
import { jobIdPattern } from '../../jobs/model/job.ts';
import type { JobFilter, PageRequest } from '../../jobs/model/job-filter.ts';
import { requestRules } from '../../jobs/model/job-request-rules.ts';
import { jobRequestSchema } from '../../jobs/model/job-request-schema.ts';
import { jobViewSchema } from '../../jobs/model/job-view.ts';
import { acceptedJob, acceptedReplies, submissionErrors } from './accepted-job.ts';
import { mergeJobs } from '../cluster/merges.ts';
import { placeJob } from '../cluster/place-job.ts';
import { jobPageText } from '../reply/job-text.ts';
import { streamSignal } from '../reply/stream.ts';
import { idempotencyClaim } from '../request/idempotency-key.ts';
import { jobFilterOf, jobFilterShape } from '../request/job-filter.ts';
import { momentParameter, once, wholeNumberParameter } from '../request/query.ts';
import { userOf } from '../request/user.ts';
import { missingHostsSchema } from '../reply/missing-hosts.ts';
import { defineRoute, hostQuery, jsonReply, noParams, noQuery } from '../route.ts';

const formsOfTime = 'a time, a date (UTC), or how long ago, such as `24h` or `7d`';

const listSchema = z.object({
  ...jobFilterShape,
  ...hostQuery.shape,
  since: momentParameter().optional().describe(`Jobs that were submitted then or later: ${formsOfTime}.`),
  until: momentParameter().optional().describe(`Jobs that were submitted before: ${formsOfTime}.`),
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
    missingHosts: missingHostsSchema,
  })
  .meta({ id: 'JobPage', description: 'A page of jobs.' });

async function pageOf(query: z.output<typeof listSchema>): Promise<JobFilter & PageRequest> {
  const { limit, cursor, since, until } = query;
  return {
    ...(await jobFilterOf(query)),
    limit,
    ...(cursor !== undefined && { cursor }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

/** Where the next page is. */
function linkTo(
  { nextCursor }: Pick<JobPage, 'nextCursor'>,
  { originalUrl }: Request,
  { basePath }: Pick<Config, 'basePath'>,
): Readonly<Record<string, string>> {
  if (nextCursor === null) return {};
  // A label may hold question marks: only the first one begins the query.
  const next = new URLSearchParams(originalUrl.replace(/^[^?]*/, ''));
  next.set('cursor', nextCursor);
  return { Link: `<${basePath}/jobs?${next.toString()}>; rel="next"` };
}

export const listJobs = defineRoute({
  method: 'get',
  path: '/jobs',
  permission: 'read',
  about: 'everyHost',
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
    const page = await jobs.list(await pageOf(query));
    const text = jobPageText(page);
    return { kind: 'json', status: 200, value: page, text, headers: linkTo(page, req, config) };
  },
  merge: async (answers, { query, req, context }) => {
    const value = await mergeJobs(answers, { ...(await pageOf(query)), isVisible: context.mayReadJob });
    return { value, headers: linkTo(value, req, context.config) };
  },
});

export const submitJob = defineRoute({
  method: 'post',
  path: '/jobs',
  permission: 'operate',
  about: 'thisHost',
  tag: 'jobs',
  operationId: 'submitJob',
  summary: 'Submits a job',
  description:
    'Jobs of one directory run one after the other, in the order of their submission. Nothing is queued on an error. The body is read as JSON, whatever its type is said to be.',
  params: noParams,
  query: noQuery,
  body: {
    // Here, and not in the schema: the request in a job of a host that is away has only its action.
    schema: jobRequestSchema.meta(requestRules),
    // Left to the job service: a key that belongs to another request is said before what is wrong with this one.
    parse: (body) => body,
  },
  headers: ['Idempotency-Key'],
  replies: acceptedReplies,
  errors: submissionErrors,
  handler: async ({ body, req, res, context }) => {
    const claim = idempotencyClaim(req, 'POST /jobs');
    const signal = streamSignal(res, context.shutdown);
    const origin = { requestedBy: userOf(req), claim, signal };
    const here = async (wanted: unknown) => context.jobs.submit(wanted, origin);
    return acceptedJob(await placeJob({ body, claim, req, context, here }), context);
  },
});
