import { Router, type Request, type Response } from 'express';
import { z } from 'zod';
import type { StatusDocument } from '../../labs/status/lab-status.ts';
import type { HttpContext } from '../context.ts';
import { strongETag } from '../reply/etag.ts';
import { parseQuery } from '../request/query.ts';
import { resource } from '../resource.ts';

const querySchema = z.object({
  output: z.enum(['json', 'text'], { error: 'must be json or text' }).optional(),
});

const contentTypes = { json: 'application/json; charset=utf-8', text: 'text/plain; charset=utf-8' } as const;

function sendDocument(document: StatusDocument, res: Response, maxAgeMs: number): void {
  const { body, format, ageMs } = document;
  res.set({
    'Content-Type': contentTypes[format],
    Age: String(Math.floor(ageMs / 1000)),
    'Cache-Control': `max-age=${Math.floor(maxAgeMs / 1000)}`,
    ETag: strongETag(body),
  });
  // Express answers a matching If-None-Match with 304 by itself.
  res.send(body);
}

export function statusRouter({ status, config }: HttpContext): Router {
  const router = Router();
  const options = (req: Request) => ({
    format: parseQuery(querySchema, req).output ?? config.statusOutput,
    fresh: /\bno-cache\b/.test(req.get('Cache-Control') ?? ''),
  });
  resource(router, '/status', {
    get: async (req, res) => {
      const { format, fresh } = options(req);
      sendDocument(await status.all(format, { fresh }), res, config.statusMaxAgeMs);
    },
  });
  resource(router, '/status/:instance', {
    get: async (req, res) => {
      const { format, fresh } = options(req);
      sendDocument(
        await status.instance(String(req.params['instance']), format, { fresh }),
        res,
        config.statusMaxAgeMs,
      );
    },
  });
  return router;
}
