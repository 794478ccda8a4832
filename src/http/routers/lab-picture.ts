import { createHash } from 'node:crypto';
import type { Request } from 'express';
import * as z from 'zod';
import { AppError, invalidRequest } from '../../lib/app-error.ts';
import { issueWords } from '../../lib/text/issue-words.ts';
import { layoutRequestSchema, layoutSchema, type LabLayout } from '../../labs/picture/lab-layouts.ts';
import { svgStyle } from '../../labs/picture/svg-style.ts';
import { strongETag } from '../reply/etag.ts';
import { jsonText } from '../reply/json.ts';
import { flagParameter } from '../request/query.ts';
import { defineRoute, jsonReply, noQuery, notModified, type Reply } from '../route.ts';
import { topologyErrors } from './lab-topology.ts';
import { labParams } from './labs.ts';

const styleHash = createHash('sha256').update(svgStyle).digest('base64');
/** Only its own style: the file may be opened by itself, and what is in it comes from a topology. */
const svgPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox`;

export const getLabPicture = defineRoute({
  method: 'get',
  path: '/labs/:id/topology.svg',
  permission: 'read',
  about: 'lab',
  tag: 'labs',
  operationId: 'getLabPicture',
  summary: 'The picture of a lab',
  description:
    'An SVG file for pages and pull requests: routers with round ends, hosts with corners, bridges with cut ones; interfaces and addresses at the ends of links. It is light or dark as the reader has it, needs nothing from elsewhere and runs nothing. It is laid out once and then kept; what was put somewhere with `PUT /labs/{id}/layout` is there. A lab of some thousand nodes has none: 422 `not-supported`.',
  params: labParams,
  query: z.object({
    state: flagParameter()
      .default('false')
      .describe('Whether each node shows if it is up, by colour and by shape.'),
  }),
  headers: ['If-None-Match'],
  replies: {
    200: {
      description: 'The picture.',
      content: { 'image/svg+xml': 'bytes' },
      headers: ['ETag', 'Cache-Control'],
    },
    304: notModified,
  },
  errors: [...topologyErrors, 'storage-fault'],
  handler: async ({ lab, query }) => {
    const withState = query.state === 'true';
    const bytes = Buffer.from(await lab.picture({ withState }));
    const headers = {
      'Content-Type': 'image/svg+xml; charset=utf-8',
      'Content-Security-Policy': svgPolicy,
      'Cache-Control': 'no-cache',
      ETag: strongETag(bytes),
    };
    return { kind: 'bytes', bytes, headers };
  },
});

export function layoutReply(layout: LabLayout): Reply {
  const text = jsonText(layout);
  const headers = { ETag: strongETag(text), 'Cache-Control': 'no-cache' };
  return { kind: 'json', status: 200, value: layout, text, headers };
}

export const getLabLayout = defineRoute({
  method: 'get',
  path: '/labs/:id/layout',
  permission: 'read',
  about: 'lab',
  tag: 'labs',
  operationId: 'getLabLayout',
  summary: 'The positions that users gave nodes in the picture of a lab',
  description:
    'Empty if no user has moved a node. The layout belongs to the directory of the lab and survives `down` and `up`. Positions in a file that other tools of the lab CLI keep beside the topology have precedence if that file changed after the layout was saved.',
  params: labParams,
  query: noQuery,
  headers: ['If-None-Match'],
  replies: { 200: jsonReply('The layout.', layoutSchema, ['ETag', 'Cache-Control']), 304: notModified },
  errors: [...topologyErrors, 'storage-fault'],
  handler: async ({ lab }) => layoutReply(await lab.layout()),
});

function parseLayout(body: unknown): LabLayout {
  const { data, error } = layoutRequestSchema.safeParse(body === undefined ? {} : body, {
    error: issueWords,
  });
  if (error) throw invalidRequest(error.issues);
  return data;
}

/** Without a body, there are no positions any more. */
export const layoutBody = { schema: layoutRequestSchema, isOptional: true, parse: parseLayout } as const;

/** RFC 9110, section 13.1.1. */
function matches(wanted: string | undefined, layout: LabLayout): boolean {
  if (wanted === undefined || wanted === '*') return true;
  const etag = strongETag(jsonText(layout));
  return wanted.split(',').some((one) => one.trim() === etag);
}

/** Throws `precondition-failed` for a layout that is not the one that `If-Match` names. */
export function layoutCheck(req: Request): (now: LabLayout) => void {
  return (now) => {
    if (matches(req.get('If-Match'), now)) return;
    throw new AppError(
      'precondition-failed',
      'the layout has changed meanwhile: get it again and repeat the change',
    );
  };
}

export const putLabLayout = defineRoute({
  method: 'put',
  path: '/labs/:id/layout',
  permission: 'operate',
  about: 'lab',
  tag: 'labs',
  operationId: 'replaceLabLayout',
  summary: 'Sets the positions of nodes in the picture of a lab',
  description:
    'Replaces the layout; the service places the nodes that it does not name. With the `ETag` of the edited layout in `If-Match`, the request is refused with 412 if another user has changed the layout meanwhile. If other tools of the lab CLI keep positions in a file beside the topology, the positions of nodes are written to that file, too; the service never creates it.',
  params: labParams,
  query: noQuery,
  body: layoutBody,
  headers: ['If-Match'],
  replies: { 200: jsonReply('The layout as it is now.', layoutSchema, ['ETag', 'Cache-Control']) },
  errors: [...topologyErrors, 'storage-fault', 'precondition-failed', 'invalid-json', 'payload-too-large'],
  handler: async ({ lab, body, req }) => {
    await lab.replaceLayout(body, layoutCheck(req));
    return layoutReply(body);
  },
});
