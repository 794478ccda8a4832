import { Router } from 'express';
import type { HttpContext } from '../context.ts';
import { sendJson } from '../reply/json.ts';
import { resource } from '../resource.ts';

/** For whoever opens the bare address: what this is, and where to go on. */
export function rootRouter({ config, version }: HttpContext): Router {
  const router = Router();
  const paths = ['healthz', 'readyz', 'jobs', 'status', 'templates'];
  const links = Object.fromEntries(paths.map((name) => [name, `${config.basePath}/${name}`]));
  resource(router, '/', {
    get: (_req, res) => sendJson(res, { name: 'lab-api', version, docs: 'docs/api.md', links }),
  });
  return router;
}
