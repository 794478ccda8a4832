import * as z from 'zod';
import { AppError } from '../../lib/app-error.ts';
import { streamSignal } from '../reply/stream.ts';
import { defineRoute, jsonReply, noParams, noQuery } from '../route.ts';

const part = z.record(z.string(), z.unknown()).optional();

const message = z
  .object({
    jsonrpc: z.literal('2.0').describe('Always `2.0`.'),
    id: z.union([z.string(), z.number()]).nullish().describe('The number or text of the request.'),
    method: z.string().optional().describe('What is asked for, such as `tools/call`; in requests.'),
    params: part.describe('What goes with it, as the Model Context Protocol has it; in requests.'),
    result: part.describe('What came of it, as the Model Context Protocol has it; in responses.'),
    error: part.describe('Why nothing came of it, as the Model Context Protocol has it; in responses.'),
  })
  .meta({
    id: 'McpMessage',
    description: 'A message of the Model Context Protocol: a JSON-RPC 2.0 request or response.',
  });

export const postMcp = defineRoute({
  method: 'post',
  path: '/mcp',
  permission: 'read',
  changesNothing: true,
  tag: 'service',
  operationId: 'postMcp',
  summary: 'Tools for AI assistants',
  description:
    'The Model Context Protocol over Streamable HTTP, stateless: each request has its answer as JSON. Only with `LAB_API_MCP=true`, else 404. Tools do what they do as the user who asks.',
  params: noParams,
  query: noQuery,
  body: { schema: message, parse: (body) => body },
  replies: {
    200: jsonReply('The response.', message),
    202: { description: 'The message wants no response.', content: {} },
  },
  errors: ['not-found', 'invalid-json', 'payload-too-large', 'shutting-down'],
  handler: async ({ req, res, body, context }) => {
    if (!context.mcp) throw new AppError('not-found', 'MCP is off here: LAB_API_MCP=true turns it on');
    const headers = Object.fromEntries(
      Object.entries(req.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : value,
      ]),
    );
    const signal = streamSignal(res, context.shutdown);
    const { status, text } = await context.mcp({
      headers: { ...headers, 'x-request-id': req.id },
      body,
      signal,
    });
    if (text !== '') return { kind: 'json', status, value: undefined, text };
    res.status(status).end();
    return { kind: 'sent' };
  },
});
