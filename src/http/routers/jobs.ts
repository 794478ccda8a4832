import express, { Router, type Request } from 'express';
import { z } from 'zod';
import { AppError, invalidRequest, withWarnings } from '../../lib/app-error.ts';
import { issueWords } from '../../lib/issue-words.ts';
import { actions } from '../../labs/actions.ts';
import { jobStates } from '../../jobs/job.ts';
import { parseJobRequest } from '../../jobs/request.ts';
import { viewJob } from '../../jobs/job-view.ts';
import type { HttpContext } from '../context.ts';
import { listParameter, parseQuery, wholeNumberParameter } from '../query.ts';
import { resource } from '../resource.ts';

/** How long the reply to a cancel waits for the end of the job. */
const cancelWaitMs = 3_000;

// Clients of `netlab api` do not always name the content type, so every body is read as JSON.
const jsonBody = express.json({ limit: '1mb', strict: false, type: () => true });

const once = z.string({ error: 'must be given once' });

const listSchema = z.object({
  state: listParameter(z.enum(jobStates, { error: `must be one of ${jobStates.join(', ')}` })),
  action: z.enum(actions, { error: `must be one of ${actions.join(', ')}` }).optional(),
  instance: once.optional(),
  workdir: once.optional(),
  label: z.preprocess((given) => (given === undefined ? [] : [given].flat()), z.array(z.string())),
  limit: wholeNumberParameter(1, 500).default(100),
  cursor: once.regex(/^job-\d+-[0-9a-f]{6}$/, 'must be the nextCursor of the page before').optional(),
});

const cancelSchema = z.object({ force: z.boolean({ error: 'must be true or false' }).default(false) });

function jobId(req: Request): string {
  return String(req.params['id']);
}

/** A cancel may come without a body. */
function parseCancel(body: unknown): { force: boolean } {
  const parsed = cancelSchema.safeParse(body ?? {}, { error: issueWords });
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues);
}

function addCollection(router: Router, { jobs, config }: HttpContext): void {
  resource(router, '/jobs', {
    get: async (req, res) => {
      const { state, action, instance, workdir, label, limit, cursor } = parseQuery(listSchema, req);
      const page = await jobs.list({
        limit,
        labels: label,
        ...(state.length > 0 && { states: state }),
        ...(action && { action }),
        ...(instance !== undefined && { instance }),
        ...(workdir !== undefined && { workdir }),
        ...(cursor !== undefined && { cursor }),
      });
      if (page.nextCursor !== null) {
        const next = new URLSearchParams(req.originalUrl.split('?')[1] ?? '');
        next.set('cursor', page.nextCursor);
        res.set('Link', `<${config.basePath}/jobs?${next.toString()}>; rel="next"`);
      }
      const views = await Promise.all(page.jobs.map(async (job) => viewJob(job, jobs)));
      res.json({ jobs: views, nextCursor: page.nextCursor });
    },
    post: [
      jsonBody,
      async (req, res) => {
        const request = parseJobRequest(req.body);
        const job = await jobs.submit(request, req.user).catch((error: unknown) => {
          throw withWarnings(error, request.warnings);
        });
        res
          .status(202)
          .set('Location', `${config.basePath}/jobs/${job.id}`)
          .json(await viewJob(job, jobs));
      },
    ],
  });
}

export function jobsRouter(context: HttpContext): Router {
  const router = Router();
  const { jobs } = context;
  addCollection(router, context);
  resource(router, '/jobs/:id', {
    get: async (req, res) => void res.json(await viewJob(await jobs.get(jobId(req)), jobs)),
  });
  resource(router, '/jobs/:id/cancel', {
    post: [
      jsonBody,
      async (req, res) => {
        const { force } = parseCancel(req.body);
        const job = await jobs.cancel(jobId(req), { by: req.user, force, waitMs: cancelWaitMs });
        if (job.state !== 'canceling' && job.reason !== 'canceled') {
          const message = `the job ended before it could be canceled (${job.reason}); its state is ${job.state}`;
          throw new AppError('conflict', message, { extra: { state: job.state } });
        }
        res.status(job.state === 'canceling' ? 202 : 200).json(await viewJob(job, jobs));
      },
    ],
  });
  return router;
}
