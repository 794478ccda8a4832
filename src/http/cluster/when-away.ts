/** Answers for a host that is away: its jobs as the index has them, and orders to cancel them. */
import type { Request, Response } from 'express';
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import type { Host } from '../../cluster/model/host.ts';
import { viewOfRow } from '../../cluster/model/job-row.ts';
import { isTerminal } from '../../jobs/model/job.ts';
import type { JobView } from '../../jobs/model/job-view.ts';
import { AppError } from '../../lib/app-error.ts';
import { deferred } from '../../lib/async/deferred.ts';
import { isMapping } from '../../lib/mapping.ts';
import type { HttpContext } from '../context.ts';
import { jsonText, sendJson } from '../reply/json.ts';
import { jsonBody } from '../request/json-body.ts';
import { maxBodyBytes, type Route } from '../route.ts';
import { askerOf } from './peers.ts';

interface Asked {
  readonly req: Request;
  readonly res: Response;
  readonly route: Route;
  readonly context: HttpContext;
  readonly cluster: ClusterService;
}

/** @throws AppError `job-not-found` for a job that the user may not see. */
async function staleJob(host: Host, { req, context, cluster }: Asked): Promise<JobView> {
  const { id } = req.params;
  const row = await cluster.row(String(id), host);
  if (row !== undefined && context.mayReadJob(row)) return viewOfRow(row, host.name);
  throw new AppError('job-not-found', `there is no job "${String(id)}"`);
}

/** Whether the body has `force`; false if the body already went to the host that is away. @throws AppError when it is invalid. */
async function isForced({ req, res, route }: Asked): Promise<boolean> {
  if (req.readableDidRead || req.destroyed) return false;
  const { promise, resolve, reject } = deferred<void>();
  jsonBody(maxBodyBytes)(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  await promise;
  const wanted = route.body?.parse(req.body);
  return isMapping(wanted) && wanted['force'] === true;
}

/** Whether the request was answered; otherwise only the host itself could. @throws AppError. */
export async function answerForAway(host: Host, asked: Asked): Promise<boolean> {
  const { req, res, route, cluster } = asked;
  if (route.about !== 'job') return false;
  if (route.operationId === 'getJob') {
    sendJson(res, jsonText(await staleJob(host, asked)));
    return true;
  }
  if (route.operationId !== 'cancelJob') return false;
  const job = await staleJob(host, asked);
  if (isTerminal(job.state))
    throw new AppError('conflict', `the job has ended; its state is ${job.state}`, {
      extra: { state: job.state },
    });
  const force = await isForced(asked);
  await cluster.cancelLater(job.id, host, { asker: askerOf(req.principal), force });
  res.statusCode = 202;
  sendJson(res, jsonText(job));
  return true;
}
