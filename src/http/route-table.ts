/** Registers routes with Express: what checks a request, sends a reply, and answers every method that a path has not. */
import { Router, type IRouter, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../lib/app-error.ts';
import { hasLoginEnded, loginEnded } from '../restricted/login-ends.ts';
import { Restrictions } from '../restricted/restrict.ts';
import { elsewhere } from './cluster/route-to-host.ts';
import { replyOfAll } from './cluster/merge-replies.ts';
import type { HttpContext, WholeContext } from './context.ts';
import { jsonText, sendJson } from './reply/json.ts';
import { auditRoute, noteTarget } from './middleware/audit.ts';
import { endWithLogin, loginEndOr } from './reply/login-end.ts';
import { permitted } from './middleware/permitted.ts';
import { isPassedOn } from './cluster/peer-request.ts';
import { asksForWebSocket, refuseOtherSite } from './middleware/same-site.ts';
import { sendBody } from './reply/send-body.ts';
import { checked } from './request/checked.ts';
import { jsonBody } from './request/json-body.ts';
import { queryReader } from './request/query.ts';
import { refuseUpload } from './request/upload.ts';
import { acceptWebSocket, checkHandshake } from './upgrades.ts';
import { wantsFresh } from './request/wants-fresh.ts';
import {
  ignoredQuery,
  maxBodyBytes,
  neededFor,
  noParams,
  type Method,
  type Reply,
  type Route,
} from './route.ts';

const usualBody = jsonBody(maxBodyBytes);

/** HEAD goes with GET: Express answers it from the same handler. */
const methodNames: Readonly<Record<Method, readonly string[]>> = {
  get: ['GET', 'HEAD'],
  post: ['POST'],
  put: ['PUT'],
  patch: ['PATCH'],
  delete: ['DELETE'],
};

/** Up to here, to copy a body costs less than to write it by itself. */
const smallBytes = 16 * 1024;

function setHeaders(res: Response, headers: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
}

/** Before all that may refuse the request, or pass it on. RFC 9745 and RFC 8594 write the dates like this. */
function tellDeprecation({ deprecated }: Route): RequestHandler[] {
  if (deprecated === undefined) return [];
  const since = `@${Math.floor(deprecated.since.getTime() / 1_000)}`;
  const sunset = deprecated.sunset.toUTCString();
  return [
    (_req, res, next) => {
      setHeaders(res, { Deprecation: since, Sunset: sunset });
      next();
    },
  ];
}

function send(reply: Reply, res: Response): void {
  switch (reply.kind) {
    case 'json':
      res.statusCode = reply.status;
      setHeaders(res, reply.headers);
      sendJson(res, reply.text ?? jsonText(reply.value));
      return;
    case 'bytes':
      setHeaders(res, reply.headers);
      // Each byte is one character of Latin-1, and back.
      if (reply.bytes.length <= smallBytes) sendBody(res, reply.bytes.toString('latin1'), 'latin1');
      else res.send(reply.bytes);
      return;
    case 'websocket':
      acceptWebSocket(res.req, reply);
      return;
    case 'empty':
      res.status(204).end();
      return;
    case 'sent':
  }
}

/** After the end of a login, a request that only reads gets no answer any more; one that has changed something does. */
function isTooLate({ method }: Route, { kind }: Reply, { shutdown }: HttpContext): boolean {
  return method === 'get' && (kind === 'json' || kind === 'bytes') && hasLoginEnded(shutdown);
}

interface Served {
  readonly routes: readonly Route[];
  readonly contexts: Restrictions<WholeContext>;
}

function cliIn({ cli }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof cli === 'string' ? cli : undefined;
}

interface Asked {
  readonly req: Request;
  readonly params: Readonly<Record<string, unknown>>;
  readonly context: HttpContext;
}

/** The thing that the path names, if the user may do with it what the route needs. @throws AppError `…-not-found`, `forbidden`. */
async function thingNamed(route: Route, { req, params, context }: Asked): Promise<object> {
  const needs = neededFor(route);
  switch (route.about) {
    case 'lab': {
      const isFresh = route.headers?.includes('Cache-Control') === true && wantsFresh(req);
      return { lab: await context.labs.find(String(params[route.labParam ?? 'id']), needs, isFresh) };
    }
    case 'job':
      return { job: await context.jobs.find(String(params['id']), needs) };
    case 'workspace':
      return { workspace: context.workspaces.find(String(params['name']), needs) };
    case 'snapshot':
      return { snapshot: context.snapshots.find(String(params['name']), needs) };
    case 'host':
    case 'everyHost':
    case 'thisHost':
      return {};
  }
}

/** A refused upload may have a body that is not read yet, and the client sends on. */
function handle(route: Route, served: Served): RequestHandler {
  const serve = serveWith(route, served);
  if (!route.upload) return serve;
  return async (req, res) => {
    try {
      await serve(req, res);
    } catch (error) {
      refuseUpload({ req, res });
      throw error;
    }
  };
}

function serveWith(route: Route, { routes, contexts }: Served) {
  const readQuery = route.query === ignoredQuery ? () => ({}) : queryReader(route.query);
  return async (req: Request, res: Response): Promise<void> => {
    const params = route.params === noParams ? {} : checked(route.params, req.params);
    const query: Readonly<Record<string, unknown>> = readQuery(req);
    // The one place where a route comes to what it works with.
    const context = contexts.of(req.principal, cliIn(query));
    const body = route.body?.parse(req.body);
    const asked = { routes, params, query, body, req, res, context };
    // The types were checked where the route was defined; here its own schemas parsed the parts.
    const input = async (): Promise<never> =>
      ({ ...asked, ...(await thingNamed(route, { req, params, context })) }) as never;
    if (route.isWebSocket && !asksForWebSocket(req)) await route.checkOnly?.(await input());
    if (route.isWebSocket) checkHandshake(req, res);
    endWithLogin(req, res);
    try {
      const reply = await replyOfAll(route, asked, async () => route.handler(await input()));
      if (isTooLate(route, reply, context)) throw loginEnded();
      if (reply.kind === 'json' && reply.about) noteTarget(req, reply.about);
      send(reply, res);
    } catch (error) {
      throw loginEndOr(error, context.shutdown);
    }
  };
}

/** The host that a browser has asked decides: a request that it passed on comes from that host. */
function ownSite({ isForOwnSite }: Route, context: WholeContext): RequestHandler[] {
  if (isForOwnSite === undefined) return [];
  return [
    (req, _res, next) => {
      if (!isPassedOn(req) && isForOwnSite(req)) refuseOtherSite(req, context.config.corsOrigins);
      next();
    },
  ];
}

function refuseOtherMethods(allowed: readonly string[]): RequestHandler {
  return (req: Request, res: Response) => {
    res.set('Allow', [...allowed, 'OPTIONS'].join(', '));
    if (req.method === 'OPTIONS') {
      res.status(204).end();
      return;
    }
    throw new AppError('method-not-allowed', `${req.method} is not possible here; use ${allowed.join(', ')}`);
  };
}

export function addRoutes(router: IRouter, routes: readonly Route[], context: WholeContext): void {
  const served = { routes, contexts: new Restrictions(context) };
  for (const path of new Set(routes.map((route) => route.path))) {
    const ofPath = routes.filter((route) => route.path === path);
    const registered = router.route(path);
    for (const route of ofPath) {
      const readBody = route.body && (route.body.maxBytes ? jsonBody(route.body.maxBytes) : usualBody);
      registered[route.method](
        ...tellDeprecation(route),
        auditRoute(route, context.audit),
        permitted(route.permission, readBody),
        ...ownSite(route, context),
        elsewhere(route, context.cluster, (req) => served.contexts.of(req.principal)),
        ...(readBody ? [readBody] : []),
        handle(route, served),
      );
    }
    registered.all(refuseOtherMethods(ofPath.flatMap(({ method }) => methodNames[method])));
  }
}

export function routerOf(routes: readonly Route[], context: WholeContext): Router {
  const router = Router();
  addRoutes(router, routes, context);
  return router;
}
