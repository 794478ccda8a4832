import { noteStream } from '../middleware/observe-requests.ts';
import { serveSsh } from '../reply/ssh-socket.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, noQuery } from '../route.ts';
import { nodeErrors, nodeNameOf, nodeParams } from './node-parts.ts';

export const openNodeSsh = defineRoute({
  method: 'get',
  isWebSocket: true,
  path: '/labs/:id/nodes/:node/ssh',
  permission: 'operate',
  about: 'lab',
  tag: 'nodes',
  operationId: 'openNodeSsh',
  summary: 'A connection of SSH to a node, over a WebSocket',
  description: `The bytes of SSH (RFC 4253) in binary messages, as the SSH gateway of the server speaks it, also without \`LAB_API_SSH_PORT\`. \`lab ssh --stdio LAB NODE\` carries a connection of ssh(1). The user of the request is the user of the connection: SSH asks for no password (method \`none\`), and the name at SSH is \`NODE.LAB\`.

Close codes: 1000 SSH has ended; 1001 the service stops; 1009 a message over 64 KiB; 4001 the login does not hold any more. The service pings every 30 seconds and disconnects clients that do not answer. Pages of other sites are refused. The same request without \`Upgrade\` gets the problem of a refusal, or 426 if the connection could be opened.`,
  params: nodeParams,
  query: noQuery,
  replies: { 101: { description: 'The WebSocket is open.', content: {}, headers: ['Upgrade'] } },
  errors: [...nodeErrors, 'storage-fault'],
  checkOnly: async ({ lab, params }) => lab.node(params.node).check(),
  handler: async ({ lab, params, req, res, context: { log, observer, shutdown, ssh } }) => {
    await lab.node(params.node).check();
    log.info('a connection of SSH was opened', {
      requestId: req.id,
      user: userOf(req),
      ...nodeNameOf(params),
    });
    noteStream(res, 'ssh', observer);
    const { principal, ip } = req;
    return {
      kind: 'websocket',
      serve: (socket) => serveSsh(socket, (stream) => void ssh.accept(stream, ip, principal), shutdown),
      abandon: () => undefined,
    };
  },
});
