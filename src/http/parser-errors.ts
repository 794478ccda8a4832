/** What Node's HTTP parser refuses never comes to Express. It is answered here in the same words as everything else. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, systemCode } from '../lib/app-error.ts';
import { after } from '../lib/disposal.ts';
import { jsonText } from './reply/json.ts';
import { problemDocument, statusOfCode } from './reply/problem.ts';

const mediaType = 'application/problem+json; charset=utf-8';

/** How long a refused client may go on sending, so that it gets to read why. */
const lingerMs = 1_000;

/** The codes are those of https://nodejs.org/api/errors.html and of llhttp. */
function whatIsWrong(error: Error): AppError {
  switch (systemCode(error) ?? '') {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError(
        'headers-too-large',
        'the request line and the headers are over the limit of 16 KiB',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('payload-too-large', 'the extensions of a chunk are over the limit of 16 KiB');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('request-timeout', 'the request did not come in time');
    default:
      return new AppError('invalid-request', 'this is not a valid HTTP request');
  }
}

function problemText(error: AppError, originalUrl: string): string {
  return jsonText(problemDocument(error, { originalUrl, id: randomUUID() }));
}

/** The replies that are under way, by connection. */
class PendingReplies {
  readonly #bySocket = new WeakMap<Duplex, Set<ServerResponse>>();

  add(res: ServerResponse): void {
    const pending = this.#bySocket.get(res.req.socket) ?? new Set();
    this.#bySocket.set(res.req.socket, pending.add(res));
    res.once('close', () => pending.delete(res));
  }

  /** Whether the client would take an error for the reply to a request of its own that came whole. */
  wouldBeMistaken(socket: Duplex): boolean {
    return [...(this.#bySocket.get(socket) ?? [])].some((res) => res.headersSent || res.req.complete);
  }
}

/** Connections that had their last words. Their parser complains once more about every piece, and about the end. */
const refused = new WeakSet<Duplex>();

/**
 * Sends the last words on a connection and throws away what the client still sends. A socket that is closed with unread
 * bytes resets the connection, and a reset takes from the client what it has not read yet (RFC 9112, section 9.6).
 */
function endWith(text: string, socket: Duplex): void {
  refused.add(socket);
  // No parser any more: the rest of a request that was refused must not become one that is carried out.
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.end(text);
  socket.once(
    'close',
    after(lingerMs, () => socket.destroy()),
  );
}

function refuse(error: Error, socket: Duplex, pending: PendingReplies): void {
  if (refused.has(socket)) return;
  const code = systemCode(error) ?? '';
  // Gone, or never there: what TLS refuses comes here as well.
  const isBroken = !socket.writable || code === 'ECONNRESET' || code.startsWith('ERR_SSL');
  if (isBroken || pending.wouldBeMistaken(socket)) {
    socket.destroy();
    return;
  }
  const problem = whatIsWrong(error);
  const status = statusOfCode[problem.code];
  const body = problemText(problem, '');
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  endWith(`${head.join('\r\n')}\r\n\r\n${body}`, socket);
}

function refuseExpectation(req: IncomingMessage, res: ServerResponse): void {
  const problem = new AppError('expectation-failed', 'of the Expect header, only 100-continue can be met');
  const body = problemText(problem, req.url ?? '');
  res.writeHead(statusOfCode[problem.code], {
    'Content-Type': mediaType,
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
}

export function answerParserErrors(server: Server): void {
  const pending = new PendingReplies();
  server.on('request', (_req, res) => pending.add(res));
  server.on('clientError', (error, socket) => refuse(error, socket, pending));
  server.on('checkExpectation', refuseExpectation);
}
