import * as z from 'zod';
import { EscapeStripper } from '../../lib/text/escape-stripper.ts';
import { noteStream } from '../middleware/observe-requests.ts';
import { startStream, streamSignal, writePaced } from '../reply/stream.ts';
import { flagParameter, wholeNumberParameter } from '../request/query.ts';
import { defineRoute } from '../route.ts';
import { nodeErrors, nodeParams } from './node-parts.ts';

const querySchema = z.object({
  tail: wholeNumberParameter(0, 1_000_000).optional().describe('The last so many lines. Default: all.'),
  follow: flagParameter().default('false').describe('The bytes as they come, until the node has ended.'),
  plain: flagParameter()
    .default('false')
    .describe('Without the escape sequences of terminals (colours, titles).'),
});

export const getNodeLog = defineRoute({
  method: 'get',
  path: '/labs/:id/nodes/:node/log',
  permission: 'read',
  about: 'lab',
  isForOwnSite: () => true,
  tag: 'nodes',
  operationId: 'getNodeLog',
  summary: 'The log of a node',
  description:
    'The log of its container, standard output and standard error, as bytes. A node that is no container has none: 422 `not-supported`.',
  params: nodeParams,
  query: querySchema,
  replies: {
    200: { description: 'The log.', content: { 'text/plain': 'bytes' }, headers: ['Cache-Control'] },
  },
  errors: nodeErrors,
  handler: async ({ lab, params, query, res, context: { observer, shutdown } }) => {
    const options = { follow: query.follow === 'true', tail: query.tail };
    const pieces = await lab.node(params.node).log(options, streamSignal(res, shutdown));
    if (options.follow) noteStream(res, 'node-log', observer);
    startStream(res, 'text/plain; charset=utf-8');
    const stripper = query.plain === 'true' ? new EscapeStripper() : undefined;
    for await (const piece of pieces) await writePaced(res, stripper?.strip(piece) ?? piece);
    if (shutdown.aborted) res.destroy();
    else res.end();
    return { kind: 'sent' };
  },
});
