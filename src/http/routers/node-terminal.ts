import * as z from 'zod';
import { noteStream } from '../middleware/observe-requests.ts';
import { serveTerminal } from '../reply/terminal-socket.ts';
import { wholeNumberParameter } from '../request/query.ts';
import { userOf } from '../request/user.ts';
import { defineRoute } from '../route.ts';
import { nodeErrors, nodeNameOf, nodeParams } from './node-parts.ts';

const side = (usual: number) => wholeNumberParameter(1, 1_000).default(usual);

export const openNodeTerminal = defineRoute({
  method: 'get',
  isWebSocket: true,
  path: '/labs/:id/nodes/:node/terminal',
  permission: 'operate',
  about: 'lab',
  tag: 'nodes',
  operationId: 'openNodeTerminal',
  summary: 'A terminal in a node, over a WebSocket',
  description: `The program that the lab CLI starts for a person (\`netlab connect\`, \`lab connect\`), in a pseudo-terminal.

- Binary messages are bytes: what is typed, and what is printed. A message of a client has at most 64 KiB.
- Text messages are JSON. A client sends \`{"type":"resize","columns":120,"rows":40}\`. The service sends \`{"type":"exit","exitCode":0,"signal":null}\` when the program has ended (\`signal\`: the number of the one that ended it; \`exitCode\` is null then), and closes.
- Close codes: 1000 the program has ended; 1001 the service stops; 1008 a text message that is none of these; 1009 a message that is too long; 4000 nothing was typed or printed for \`LAB_API_TERMINAL_IDLE\`; 4001 the login does not hold any more.

The service pings every 30 seconds and disconnects clients that do not answer. All processes started in the terminal end with it. Pages of other sites are refused. A refusal is an ordinary HTTP reply, which scripts in a browser cannot read: the same request without \`Upgrade\` gets the same problem, or 426 if the terminal could be opened.`,
  params: nodeParams,
  query: z.object({
    columns: side(80).describe('How wide the terminal is at first.'),
    rows: side(24).describe('How high the terminal is at first.'),
  }),
  replies: { 101: { description: 'The WebSocket is open.', content: {}, headers: ['Upgrade'] } },
  errors: nodeErrors,
  checkOnly: async ({ lab, params }) => lab.node(params.node).checkTerminal(),
  handler: async ({ lab, params, query, req, res, context: { config, log, observer, shutdown } }) => {
    const terminal = await lab.node(params.node).terminal(query);
    const about = { requestId: req.id, user: userOf(req), ...nodeNameOf(params) };
    log.info('a terminal was opened', about);
    void terminal.ended.then(() => log.info('a terminal has ended', about));
    noteStream(res, 'terminal', observer);
    const limits = { idleMs: config.live.terminalIdleMs, shutdown };
    return {
      kind: 'websocket',
      serve: (socket) => serveTerminal(socket, terminal, limits),
      abandon: () => void terminal.close(),
    };
  },
});
