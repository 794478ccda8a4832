/** Opens WebSockets (RFC 6455), for requests that may have one. */
import type { Request, Response } from 'express';
import { WebSocketServer } from 'ws';
import { AppError } from '../lib/app-error.ts';
import type { Reply } from './route.ts';
import { connectionOf } from './upgrades.ts';

/** More than a person types or pastes at once; clients must split longer input. */
const maxMessageBytes = 64 * 1024;

// Compression costs memory per connection, and what terminals say is short.
const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: maxMessageBytes,
  perMessageDeflate: false,
});

/** @throws AppError `upgrade-required` or `invalid-request` for a request that is none for a WebSocket (RFC 6455, section 4.2.1). */
export function checkHandshake(req: Request, res: Response): void {
  const isRightVersion = req.get('Sec-WebSocket-Version') === '13';
  if (connectionOf(req) === undefined || !isRightVersion) {
    res.set({ Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Version': '13' });
    throw new AppError(
      'upgrade-required',
      'this is a WebSocket (RFC 6455, version 13): connect with a client for that',
    );
  }
  if (!/^[+/0-9A-Za-z]{22}==$/.test(req.get('Sec-WebSocket-Key') ?? ''))
    throw new AppError('invalid-request', 'Sec-WebSocket-Key: must be 16 bytes in base64');
}

/** Answers 101 and gives the WebSocket to `serve`, or calls `abandon` when the client has gone. `checkHandshake` must have accepted the request. */
export function acceptWebSocket(
  req: Request,
  { serve, abandon }: Pick<Extract<Reply, { kind: 'websocket' }>, 'serve' | 'abandon'>,
): void {
  const connection = connectionOf(req);
  if (connection === undefined) throw new Error('this request was not checked to be one for a WebSocket');
  const { socket, head } = connection;
  // The library would say nothing, and open nothing.
  if (!socket.readable || !socket.writable) {
    socket.destroy();
    abandon();
    return;
  }
  // For metrics and the log.
  if (req.res) req.res.statusCode = 101;
  server.handleUpgrade(req, socket, head, serve);
}
