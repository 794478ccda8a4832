import { Router } from 'express';
import type { HttpContext } from '../context.ts';
import { sendJson } from '../reply/json.ts';
import { resource } from '../resource.ts';

/** Liveness: touches neither disk nor lab CLI. Apart, because it may be exempt from authentication. */
export function livenessRouter(): Router {
  const router = Router();
  resource(router, '/healthz', { get: (_req, res) => sendJson(res, { status: 'ok' }) });
  return router;
}

export function readinessRouter({ readiness }: HttpContext): Router {
  const router = Router();
  resource(router, '/readyz', {
    get: async (_req, res) => {
      const checks = await readiness();
      const isReady = checks.every((check) => check.ok);
      sendJson(res.status(isReady ? 200 : 503), { status: isReady ? 'ok' : 'unavailable', checks });
    },
  });
  return router;
}
