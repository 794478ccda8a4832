/** What Node's HTTP parser refuses never comes to Express. It is answered here in the same words as everything else. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, systemCode } from '../lib/app-error.ts';
import { jsonText } from './reply/json.ts';
import { problemDocument, statusOfCode } from './reply/problem.ts';

const mediaType = 'application/problem+json; charset=utf-8';

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

function refuse(error: Error, socket: Duplex, pending: PendingReplies): void {
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
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
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
