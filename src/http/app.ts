/** The order in which a request passes through the service. */
import express, { type Express, type RequestHandler } from 'express';
import type { ReadinessCheck } from '../restricted/machine.ts';
import { peerRequest } from './cluster/peer-request.ts';
import type { WholeContext } from './context.ts';
import { dashboard } from './dashboard.ts';
import { accessLog } from './middleware/access-log.ts';
import { auditRequests, routeFinder } from './middleware/audit.ts';
import { authentication, anonymousRoutes } from './middleware/authentication.ts';
import { crossOrigin } from './middleware/cross-origin.ts';
import { errors, notFound } from './middleware/errors.ts';
import { compose } from './middleware/compose.ts';
import { knownHost, oneHost } from './middleware/host-header.ts';
import { observeRequests } from './middleware/observe-requests.ts';
import { admitAnybody } from './middleware/permitted.ts';
import { proxyUser } from './middleware/proxy-user.ts';
import { requestId } from './middleware/request-id.ts';
import { sameSite } from './middleware/same-site.ts';
import { encryptionOf, securityHeaders } from './middleware/security-headers.ts';
import { addRoutes, routerOf } from './route-table.ts';
import type { Route } from './route.ts';
import { addressOfClient } from './request/address.ts';
import { getBareReadiness, getLiveness } from './routers/health.ts';
import { routes } from './routers/routes.ts';

/** How long the readiness that was found serves those who may not log in: each look at it writes to the disk. */
const readinessAgeMs = 1_000;

function sharingReadiness(context: WholeContext): WholeContext {
  let latest = { found: Promise.resolve<readonly ReadinessCheck[]>([]), endsMs: -1 };
  const readiness = async (): Promise<readonly ReadinessCheck[]> => {
    const now = performance.now();
    if (now >= latest.endsMs) latest = { found: context.readiness(), endsMs: now + readinessAgeMs };
    return latest.found;
  };
  return { ...context, readiness };
}

/** All routes of the paths that are partly public; each route still checks its own permission. */
function publicPaths(all: readonly Route[]): readonly Route[] {
  const paths = new Set(all.filter(({ permission }) => permission === 'public').map(({ path }) => path));
  return all.filter(({ path }) => paths.has(path));
}

/** `admit` decides which requests a server without users accepts. */
export function createApp(context: WholeContext, admit: RequestHandler = admitAnybody): Express {
  const { config, log, logins, users, cluster } = context;
  const base = config.basePath === '' ? '/' : config.basePath;
  const app = express();
  app.set('query parser', 'simple');
  app.set('x-powered-by', false);
  // Only these proxies may name the client (`req.ip`) in X-Forwarded-For: any other sender could invent an address.
  app.set('trust proxy', config.proxy ? [...config.proxy.addresses] : false);
  // Express would compute a weak ETag of every reply; resources set a strong one where it pays.
  app.set('etag', false);

  app.use(
    compose(
      observeRequests(context.observer),
      requestId,
      ...(context.mcp ? [addressOfClient(logins)] : []),
      accessLog(log, config.live),
      auditRequests(context.audit, routeFinder(routes, base)),
      securityHeaders(encryptionOf(config.tls)),
      ...(config.corsOrigins.length > 0 ? [crossOrigin(config.corsOrigins)] : []),
      oneHost,
    ),
  );
  const isPublic = (route: Route): Route => ({ ...route, permission: 'public' });
  const isSignOnAlone = config.oidc !== undefined && !config.auth && config.usersFile === undefined;
  app.use(base, dashboard({ basePath: config.basePath, signOn: config.oidc?.name, isSignOnAlone }));
  if (config.publicHealthz) app.use(base, routerOf([isPublic(getLiveness)], context));
  const sharing = sharingReadiness(context);
  const probesOf = (...probes: readonly Route[]): RequestHandler =>
    express.Router().use(base, routerOf(probes.map(isPublic), sharing));
  const probes = probesOf(getLiveness, getBareReadiness);
  const named = config.proxy && proxyUser({ userHeader: config.proxy.userHeader, users });
  // For the whole server, not only the base path: a client that is not logged in must not learn which paths exist.
  const { isRequired: isLoginRequired } = logins;
  const others = compose(
    ...(isLoginRequired
      ? [authentication({ config, logins, proxyUser: named, probes, log })]
      : [knownHost(config.allowedHosts), admit]),
    sameSite(config.corsOrigins),
  );
  app.use(
    compose(
      cluster ? peerRequest({ cluster, isLoginRequired, log }, others) : others,
      anonymousRoutes(
        compose(
          ...(config.publicReadyz ? [probesOf(getBareReadiness)] : []),
          express.Router().use(base, routerOf(publicPaths(routes), context)),
        ),
      ),
    ),
  );
  // Not one more router in the router that an application is, where there is no base path.
  if (config.basePath === '') addRoutes(app, routes, context);
  else app.use(base, routerOf(routes, context));
  app.use(notFound);
  app.use(errors(log));
  return app;
}
