/** The order in which a request passes through the service. */
import express, { type Express, Router } from 'express';
import helmet from 'helmet';
import type { HttpContext } from './context.ts';
import { accessLog } from './middleware/access-log.ts';
import { authentication } from './middleware/authentication.ts';
import { errors, notFound } from './middleware/errors.ts';
import { knownHost } from './middleware/known-host.ts';
import { requestId } from './middleware/request-id.ts';
import { sameSite } from './middleware/same-site.ts';
import { jobLogRouter } from './routers/job-log.ts';
import { jobsRouter } from './routers/jobs.ts';
import { livenessRouter, readinessRouter } from './routers/health.ts';
import { rootRouter } from './routers/root.ts';
import { statusRouter } from './routers/status.ts';
import { templatesRouter } from './routers/templates.ts';

export function createApp(context: HttpContext): Express {
  const { config, log } = context;
  const app = express();
  app.set('query parser', 'simple');
  app.set('x-powered-by', false);
  // Express would compute a weak ETag of every reply; resources set a strong one where it pays.
  app.set('etag', false);

  app.use(requestId, accessLog(log));
  // Over plain HTTP, `upgrade-insecure-requests` and HSTS would only break pages.
  app.use(
    helmet({
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: config.tls ? [] : null } },
      strictTransportSecurity: config.tls !== undefined,
    }),
  );

  const base = config.basePath === '' ? '/' : config.basePath;
  if (config.publicHealthz) app.use(base, livenessRouter());
  // Of the whole server, not of the base path: what is not there is nobody's business either.
  app.use(...(config.auth ? authentication(config.auth) : [knownHost(config.allowedHosts)]));
  app.use(sameSite);
  const api = Router();
  api.use(rootRouter(context));
  api.use(livenessRouter());
  api.use(readinessRouter(context));
  api.use(templatesRouter(context));
  api.use(jobsRouter(context));
  api.use(jobLogRouter(context));
  api.use(statusRouter(context));

  app.use(base, api);
  app.use(notFound);
  app.use(errors(log));
  return app;
}
