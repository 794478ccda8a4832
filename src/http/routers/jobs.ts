import express, { Router, type Request, type Response } from 'express';
import { z } from 'zod';
import { AppError, invalidRequest, withWarnings } from '../../lib/app-error.ts';
import { issueWords } from '../../lib/issue-words.ts';
import { actions } from '../../labs/actions.ts';
import { directoryNamed } from '../../labs/working-directory.ts';
import type { IdempotencyClaim } from '../../jobs/intake/idempotency.ts';
import { jobIdPattern, jobStates, type Job } from '../../jobs/model/job.ts';
import { parseJobRequest } from '../../jobs/model/job-request.ts';
import { viewJob } from '../../jobs/view/job-view.ts';
import type { HttpContext } from '../context.ts';
import { idempotencyClaim } from '../request/idempotency-key.ts';
import { strongETag } from '../reply/etag.ts';
import { jsonText, sendJson } from '../reply/json.ts';
import {
  listParameter,
  parseQuery,
  refuseQuery,
  secondsParameter,
  wholeNumberParameter,
} from '../request/query.ts';
import { resource } from '../resource.ts';
import { streamSignal } from '../reply/stream.ts';

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
  cursor: once.regex(jobIdPattern, 'must be the nextCursor of the page before').optional(),
});

const jobSchema = z.object({ wait: secondsParameter(60).default(0) });

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

interface Acceptance {
  readonly claim: IdempotencyClaim | undefined;
  readonly make: () => Promise<Job>;
}

/** Makes a job, or finds that which the same request made before, and answers 202 with it. */
async function accept(
  res: Response,
  { jobs, config }: HttpContext,
  { claim, make }: Acceptance,
): Promise<void> {
  const { job, isReplayed } = claim
    ? await jobs.idempotency.once(claim, make)
    : { job: await make(), isReplayed: false };
  if (isReplayed) res.set('Idempotency-Replayed', 'true');
  res.status(202).set('Location', `${config.basePath}/jobs/${job.id}`);
  sendJson(res, await viewJob(job, jobs));
}

function addCollection(router: Router, context: HttpContext): void {
  const { jobs, config } = context;
  resource(router, '/jobs', {
    get: async (req, res) => {
      const { state, action, instance, workdir, label, limit, cursor } = parseQuery(listSchema, req);
      const page = await jobs.list({
        limit,
        labels: label,
        ...(state.length > 0 && { states: state }),
        ...(action && { action }),
        ...(instance !== undefined && { instance }),
        ...(workdir !== undefined && { workdir: await directoryNamed(workdir, process.cwd()) }),
        ...(cursor !== undefined && { cursor }),
      });
      if (page.nextCursor !== null) {
        // A label may hold question marks: only the first one begins the query.
        const next = new URLSearchParams(req.originalUrl.replace(/^[^?]*/, ''));
        next.set('cursor', page.nextCursor);
        res.set('Link', `<${config.basePath}/jobs?${next.toString()}>; rel="next"`);
      }
      const views = await Promise.all(page.jobs.map(async (job) => viewJob(job, jobs)));
      sendJson(res, { jobs: views, nextCursor: page.nextCursor });
    },
    post: [
      jsonBody,
      async (req, res) => {
        refuseQuery(req);
        const claim = idempotencyClaim(req, 'POST /jobs');
        await accept(res, context, {
          claim,
          make: async () => {
            const request = parseJobRequest(req.body);
            return jobs.submit(request, req.user, claim).catch((error: unknown) => {
              throw withWarnings(error, request.warnings);
            });
          },
        });
      },
    ],
  });
}

/** The job at its end, or as it is after that many seconds, when its client is gone, or when the service shuts down. */
async function waitForJob(
  id: string,
  seconds: number,
  res: Response,
  { jobs, shutdown }: HttpContext,
): Promise<Job> {
  return seconds === 0 ? jobs.get(id) : jobs.waitForEnd(id, seconds * 1000, streamSignal(res, shutdown));
}

export function jobsRouter(context: HttpContext): Router {
  const router = Router();
  const { jobs } = context;
  addCollection(router, context);
  resource(router, '/jobs/:id', {
    get: async (req, res) => {
      const { wait } = parseQuery(jobSchema, req);
      const job = await waitForJob(jobId(req), wait, res, context);
      const body = jsonText(await viewJob(job, jobs));
      // The tag is that of the body, so the progress of a running job changes it too.
      res.set({ ETag: strongETag(body), 'Cache-Control': 'private, no-cache' });
      res.type('json').send(body);
    },
    delete: async (req, res) => {
      refuseQuery(req);
      await jobs.remove(jobId(req));
      res.status(204).end();
    },
  });
  resource(router, '/jobs/:id/retry', {
    post: [
      jsonBody,
      async (req, res) => {
        refuseQuery(req);
        const claim = idempotencyClaim(req, `POST /jobs/${jobId(req)}/retry`);
        await accept(res, context, {
          claim,
          make: async () => jobs.retry(jobId(req), req.user, claim),
        });
      },
    ],
  });
  resource(router, '/jobs/:id/cancel', {
    post: [
      jsonBody,
      async (req, res) => {
        refuseQuery(req);
        const { force } = parseCancel(req.body);
        const job = await jobs.cancel(jobId(req), { by: req.user, force, waitMs: cancelWaitMs });
        if (job.state !== 'canceling' && job.reason !== 'canceled') {
          const message = `the job ended before it could be canceled (${job.reason}); its state is ${job.state}`;
          throw new AppError('conflict', message, { extra: { state: job.state } });
        }
        sendJson(res.status(job.state === 'canceling' ? 202 : 200), await viewJob(job, jobs));
      },
    ],
  });
  return router;
}
