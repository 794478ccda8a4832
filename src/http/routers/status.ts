import type { Request } from 'express';
import { z } from 'zod';
import type { StatusDocument } from '../../labs/status/lab-status.ts';
import type { HttpContext } from '../context.ts';
import { keptETag } from '../reply/etag.ts';
import { defineRoute, noParams, type Reply, type ReplySpec } from '../route.ts';

const querySchema = z.object({
  output: z.enum(['json', 'text'], { error: 'must be json or text' }).optional(),
});

const mediaTypes = { json: 'application/json; charset=utf-8', text: 'text/plain; charset=utf-8' } as const;

/** What the lab CLI printed is passed on as it is; newer lab CLIs add fields. */
const documentReply: ReplySpec = {
  description: 'What the lab CLI printed',
  content: { 'application/json': z.record(z.string(), z.unknown()), 'text/plain': 'bytes' },
};

/** How the client wants the status: in which form, and whether it may be one that was asked for before. */
function wanted(req: Request, output: 'json' | 'text' | undefined, { config }: HttpContext) {
  return {
    format: output ?? config.statusOutput,
    fresh: /\bno-cache\b/.test(req.get('Cache-Control') ?? ''),
  };
}

function documentOf({ body, format, ageMs }: StatusDocument, { config }: HttpContext): Reply {
  return {
    kind: 'bytes',
    bytes: body,
    headers: {
      'Content-Type': mediaTypes[format],
      Age: String(Math.floor(ageMs / 1000)),
      'Cache-Control': `max-age=${Math.floor(config.statusMaxAgeMs / 1000)}`,
      // Express answers a matching If-None-Match with 304 by itself.
      ETag: keptETag(body),
    },
  };
}

export const getAllStatus = defineRoute({
  method: 'get',
  path: '/status',
  operationId: 'getAllStatus',
  summary: 'The labs on this server',
  params: noParams,
  query: querySchema,
  replies: { 200: documentReply },
  handler: async ({ query, req, context }) => {
    const { format, fresh } = wanted(req, query.output, context);
    return documentOf(await context.labs.status.all(format, { fresh }), context);
  },
});

export const getInstanceStatus = defineRoute({
  method: 'get',
  path: '/status/:instance',
  operationId: 'getInstanceStatus',
  summary: 'One lab with its nodes',
  params: z.object({ instance: z.string() }),
  query: querySchema,
  replies: { 200: documentReply },
  handler: async ({ params, query, req, context }) => {
    const { format, fresh } = wanted(req, query.output, context);
    return documentOf(await context.labs.status.instance(params.instance, format, { fresh }), context);
  },
});
