/** Finds out which host a request is about, and has it answer. */
import type { Request, RequestHandler, Response } from 'express';
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import type { Host } from '../../cluster/model/host.ts';
import { workspaceNamePattern } from '../../labs/workspaces/workspace-places.ts';
import { AppError } from '../../lib/app-error.ts';
import type { HttpContext } from '../context.ts';
import type { Route } from '../route.ts';
import { forward } from './forward.ts';
import { findLab, splitLabId } from './lab-ids.ts';
import { isPassedOn } from './peer-request.ts';
import { askerOf, pathOf } from './peers.ts';
import { answerForAway } from './when-away.ts';

const isWorkspaceName = (name: string): boolean => workspaceNamePattern.test(name);

interface Asked {
  readonly req: Request;
  readonly res: Response;
  readonly cluster: ClusterService;
  readonly route: Route;
}

function namedHost({ query }: Request): string | undefined {
  return typeof query['host'] === 'string' && query['host'] !== '' ? query['host'] : undefined;
}

function param({ params }: Request, name: string): string {
  const value = params[name];
  return typeof value === 'string' ? value : '';
}

/** The host of what the path names; undefined where this one is to answer, if only that there is no such thing. */
async function hostFor({ req, res, cluster, route }: Asked): Promise<Host | undefined> {
  switch (route.about) {
    case 'job':
      return cluster.hostOfJob(param(req, 'id'));
    case 'workspace': {
      const name = param(req, 'name');
      // Invalid names are refused by this host.
      if (!isWorkspaceName(name)) return undefined;
      if (route.operationId !== 'putWorkspace') return cluster.hostOfWorkspace(name);
      // The host that is asked has listed its templates.
      const usual = req.query['template'] === undefined ? undefined : cluster.id;
      return cluster.hostForWorkspace(name, namedHost(req) ?? usual);
    }
    case 'lab':
      return findLab(cluster, { id: param(req, route.labParam ?? 'id'), asker: askerOf(req.principal), res });
    case 'host':
      return cluster.host(param(req, 'id'));
    case 'snapshot':
    case 'everyHost':
    case 'thisHost': {
      const named = 'host' in route.query.shape ? namedHost(req) : undefined;
      return named === undefined ? undefined : cluster.host(named);
    }
  }
}

/** The handler of this host knows labs by the name that the lab CLI gives them. */
function withPlainLabId({ req, route }: Pick<Asked, 'req' | 'route'>): void {
  const name = route.labParam ?? 'id';
  const { [name]: given } = req.params;
  if (route.about === 'lab' && typeof given === 'string') req.params[name] = splitLabId(given).instance;
}

/** As the other host calls it: the same path. */
async function handOver(host: Host, asked: Asked, context: HttpContext): Promise<void> {
  const { req, res, cluster, route } = asked;
  const { basePath } = context.config;
  try {
    await forward(req, res, { cluster, host, path: pathOf(req, basePath), basePath });
  } catch (error) {
    // It is away, known to be or not.
    const isAway = error instanceof AppError && error.code === 'host-unavailable';
    if (!isAway || !(await answerForAway(host, { req, res, route, context, cluster }))) throw error;
  }
}

/** Forwards requests about another host; the handlers behind it answer the rest. `contextOf` returns the context of the user. */
export function elsewhere(
  route: Route,
  cluster: ClusterService | undefined,
  contextOf: (req: Request) => HttpContext,
): RequestHandler {
  return async (req, res, next) => {
    if (cluster === undefined) {
      if ('host' in route.query.shape && namedHost(req) !== undefined)
        throw new AppError('host-not-found', 'host: this service works alone: it is in no cluster');
      return next();
    }
    if (!isPassedOn(req)) {
      const host = await hostFor({ req, res, cluster, route });
      if (host !== undefined && !host.isThis)
        return handOver(host, { req, res, cluster, route }, contextOf(req));
    }
    // Now: once the reply is over, Express has forgotten the path.
    const name = param(req, 'name');
    if (route.about === 'workspace' && route.method !== 'get' && isWorkspaceName(name))
      res.once('close', () => void cluster.noteWorkspace(name));
    withPlainLabId({ req, route });
    next();
  };
}
