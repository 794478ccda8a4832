/**
 * Requests for another protocol (RFC 9110, section 7.8). Node emits them only as `upgrade`, without a response object. Here they
 * pass through the application like all others, so that the same rules and errors apply; a route may open a WebSocket (RFC 6455).
 */
import http, { type IncomingMessage, type Server } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { asksForWebSocket } from './middleware/same-site.ts';
import type { Request, Response } from 'express';
import { WebSocketServer } from 'ws';
import { AppError } from '../lib/app-error.ts';
import type { Reply } from './route.ts';

type Handle = (req: IncomingMessage, res: http.ServerResponse) => void;

interface Connection {
  readonly socket: Duplex;
  /** The bytes that followed the request. */
  readonly head: Buffer;
}

/** Of requests for a WebSocket that were not answered yet. */
const waiting = new WeakMap<IncomingMessage, Connection>();

/** The connection of a request for a WebSocket, to be taken over; undefined for any other request. */
export function connectionOf(req: IncomingMessage): Connection | undefined {
  return waiting.get(req);
}

/** Handles the request on the bare connection: the application refuses it, or a WebSocket takes the connection over. */
function answer(handle: Handle, req: IncomingMessage, connection: Connection): void {
  const socket = connection.socket as Socket;
  socket.on('error', () => undefined);
  const res = new http.ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once('finish', () => socket.destroySoon());
  waiting.set(req, connection);
  handle(req, res);
}

/** The head of the request as it came, without its wish for another protocol. */
function headWithoutWish({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (name.toLowerCase() === 'upgrade') continue;
    const options = value.split(',').map((option) => option.trim());
    const kept = options.filter((option) => option.toLowerCase() !== 'upgrade').join(', ');
    if (name.toLowerCase() !== 'connection') lines.push(`${name}: ${value}`);
    else if (kept !== '') lines.push(`${name}: ${kept}`);
  }
  // As the parser has read it, one character for each byte.
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/** The server does as if it had not been asked, which a server may: `curl --http2` wishes for `h2c` with every request. */
function readAgain(server: Server, req: IncomingMessage, { socket, head }: Connection): void {
  socket.unshift(Buffer.concat([headWithoutWish(req), head]));
  server.emit(server instanceof https.Server ? 'secureConnection' : 'connection', socket);
}

/**
 * Has `handle` answer the requests of `server` that ask for another protocol. A connection that `isBusy` still waits for the reply to
 * an earlier request: two cannot be made sense of when it changes hands in between (Node throws at the attempt), so it is cut.
 */
export function answerUpgrades(server: Server, handle: Handle, isBusy: (socket: Duplex) => boolean): void {
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isBusy(socket)) socket.destroy();
    else if (asksForWebSocket(req) && req.method === 'GET') answer(handle, req, { socket, head });
    else readAgain(server, req, { socket, head });
  });
}

/** More than a person types or pastes at once; clients must split longer input. */
const maxMessageBytes = 64 * 1024;

// Compression costs memory per connection, and what terminals say is short.
const webSockets = new WebSocketServer({
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
  webSockets.handleUpgrade(req, socket, head, serve);
}
