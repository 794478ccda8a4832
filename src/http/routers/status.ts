import type { Request } from 'express';
import * as z from 'zod';
import type { StatusDocument } from '../../labs/status/lab-status.ts';
import type { HttpContext } from '../context.ts';
import { mergeStatus } from '../cluster/merges.ts';
import { keptETag } from '../reply/etag.ts';
import { wantsFresh } from '../request/wants-fresh.ts';
import { defineRoute, hostQuery, noParams, notModified, type Reply, type ReplySpec } from '../route.ts';

const querySchema = z.object({
  ...hostQuery.shape,
  output: z
    .enum(['json', 'text'], { error: 'must be json or text' })
    .optional()
    .describe('In which form; default: `LAB_API_STATUS_OUTPUT`, which is `json` unless it was changed.'),
});

const mediaTypes = { json: 'application/json; charset=utf-8', text: 'text/plain; charset=utf-8' } as const;

/** The output of the lab CLI, unchanged; newer lab CLIs add fields. */
function documentReplies(id: string, description: string): Readonly<Record<number, ReplySpec>> {
  const schema = z.record(z.string(), z.unknown()).meta({ id, description });
  return {
    200: {
      description: 'The output of the lab CLI.',
      content: { 'application/json': schema, 'text/plain': 'bytes' },
      headers: ['Age', 'Cache-Control', 'ETag'],
    },
    304: { ...notModified, headers: ['Age', 'Cache-Control', 'ETag'] },
  };
}

const errors = ['lab-cli-failed', 'lab-cli-missing', 'lab-cli-timeout', 'shutting-down'] as const;

const howItIsMade =
  'The document that the lab CLI printed, byte for byte. One run of it serves all who ask: `Age` says how old it is, and `Cache-Control: no-cache` waits for a fresh one.';

/** How the client wants the status: in which form, and whether it may be one that was asked for before. */
function wanted(req: Request, output: 'json' | 'text' | undefined, { config }: HttpContext) {
  return {
    format: output ?? config.statusOutput,
    fresh: wantsFresh(req),
  };
}

function documentOf({ body, format, ageMs }: StatusDocument): Reply {
  return {
    kind: 'bytes',
    bytes: body,
    headers: {
      'Content-Type': mediaTypes[format],
      Age: String(Math.floor(ageMs / 1000)),
      // After a logout, the next user of the browser must not see what it has kept.
      'Cache-Control': 'private, no-cache',
      // Express answers a matching If-None-Match with 304 by itself.
      ETag: keptETag(body),
    },
  };
}

export const getAllStatus = defineRoute({
  method: 'get',
  path: '/status',
  permission: 'read',
  about: 'everyHost',
  tag: 'labs',
  operationId: 'getAllStatus',
  isByCli: true,
  summary: 'The labs on this server',
  description: howItIsMade,
  params: noParams,
  query: querySchema,
  headers: ['If-None-Match', 'Cache-Control'],
  replies: documentReplies(
    'LabsStatus',
    "A document of the lab CLI's own, passed on as it is: by instance, what it knows of each lab; with no lab, `warning` alone.",
  ),
  errors,
  handler: async ({ query, req, context }) => {
    const { format, fresh } = wanted(req, query.output, context);
    return documentOf(await context.labs.status(format, { fresh }));
  },
  merge: (answers) => ({ value: mergeStatus(answers) }),
});

export const getInstanceStatus = defineRoute({
  method: 'get',
  path: '/status/:instance',
  permission: 'read',
  about: 'lab',
  labParam: 'instance',
  tag: 'labs',
  operationId: 'getInstanceStatus',
  summary: 'One lab with its nodes',
  description: howItIsMade,
  params: z.object({ instance: z.string().describe('The lab instance, as `GET /status` calls it.') }),
  query: querySchema.omit({ host: true }),
  headers: ['If-None-Match', 'Cache-Control'],
  replies: documentReplies(
    'InstanceStatus',
    "A document of the lab CLI's own, passed on as it is: the state of one lab and of its nodes.",
  ),
  errors: [...errors, 'instance-not-found'],
  handler: async ({ lab, query, req, context }) => {
    const { format, fresh } = wanted(req, query.output, context);
    return documentOf(await lab.status(format, { fresh }));
  },
});
