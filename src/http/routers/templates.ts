import path from 'node:path';
import { realpath } from 'node:fs/promises';
import { Router } from 'express';
import { z } from 'zod';
import { AppError } from '../../lib/app-error.ts';
import { expandHome } from '../../lib/home.ts';
import type { HttpContext } from '../context.ts';
import { sendJson } from '../reply/json.ts';
import { parseQuery } from '../request/query.ts';
import { resource } from '../resource.ts';

const querySchema = z.object({
  dir: z
    .string({ error: 'must be given once' })
    .refine((dir) => !dir.includes('\0'), 'must not contain a NUL byte')
    .optional(),
  recursive: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
});

export function templatesRouter({ config, roots, templates }: HttpContext): Router {
  const router = Router();
  resource(router, '/templates', {
    get: async (req, res) => {
      const query = parseQuery(querySchema, req);
      const wanted = query.dir ? path.resolve(expandHome(query.dir)) : (config.templatesDir ?? process.cwd());
      const dir = await realpath(wanted).catch(() => undefined);
      // Before anything is said about it: what there is outside the roots is nobody's business.
      roots.check(dir ?? wanted, 'dir');
      if (dir === undefined)
        throw new AppError('directory-not-found', `dir: there is no directory ${wanted}`);
      sendJson(res, { templates: await templates(dir, query.recursive === 'true') });
    },
  });
  return router;
}
