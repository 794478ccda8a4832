import type { Request } from 'express';
import * as z from 'zod';
import { anybody } from '../../access/model/principal.ts';
import { AppError } from '../../lib/app-error.ts';
import { streamSignal } from '../reply/stream.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, jsonReply, noParams, noQuery } from '../route.ts';

const part = z.record(z.string(), z.unknown()).optional();

const message = z
  .object({
    jsonrpc: z.literal('2.0').describe('Always `2.0`.'),
    id: z.union([z.string(), z.number()]).nullish().describe('The number or text of the request.'),
    method: z.string().optional().describe('The method, such as `tools/call`; in requests.'),
    params: part.describe('The parameters of the Model Context Protocol; in requests.'),
    result: part.describe('The result of the Model Context Protocol; in responses.'),
    error: part.describe('Why nothing came of it, as the Model Context Protocol has it; in responses.'),
  })
  .meta({
    id: 'McpMessage',
    description: 'A message of the Model Context Protocol: a JSON-RPC 2.0 request or response.',
  });

function headersOf({ headers }: Request): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

export const postMcp = defineRoute({
  method: 'post',
  path: '/mcp',
  permission: 'read',
  about: 'thisHost',
  changesNothing: true,
  tag: 'service',
  operationId: 'postMcp',
  summary: 'Tools for AI assistants',
  description:
    'The Model Context Protocol over Streamable HTTP, stateless: each request has its answer as JSON. `notifications/cancelled` ends a call of the same user and `Mcp-Session-Id`. Only with `LAB_API_MCP=true`, else 404. Tools do what they do as the user who asks.',
  params: noParams,
  query: noQuery,
  body: { schema: message, parse: (body) => body },
  replies: {
    200: jsonReply('The response.', message, ['Mcp-Session-Id']),
    202: { description: 'The message wants no response, or its call was canceled.', content: {} },
  },
  errors: ['not-found', 'invalid-json', 'payload-too-large', 'shutting-down'],
  handler: async ({ req, res, body, context }) => {
    if (!context.mcp) throw new AppError('not-found', 'MCP is off here: LAB_API_MCP=true turns it on');
    const signal = streamSignal(res, context.shutdown);
    // A secret for this call alone, however the user logged in: the credentials of the request are not passed on.
    const loan = context.logins.lend(req.principal ?? anybody, req.ip);
    const { status, text, session } = await context
      .mcp({
        headers: headersOf(req),
        user: userOf(req),
        secret: loan.secret,
        requestId: req.id,
        body,
        signal,
      })
      .finally(loan.end);
    if (session !== undefined) res.set('Mcp-Session-Id', session);
    if (text !== '') return { kind: 'json', status, value: undefined, text };
    res.status(status).end();
    return { kind: 'sent' };
  },
});
