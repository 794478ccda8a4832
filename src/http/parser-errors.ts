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

/** The last reply of each connection; those before it were sent before. */
class LastReplies {
  readonly #bySocket = new WeakMap<Duplex, ServerResponse>();

  add(res: ServerResponse): void {
    this.#bySocket.set(res.req.socket, res);
  }

  /** Undefined once it has been sent. */
  pending(socket: Duplex): ServerResponse | undefined {
    const last = this.#bySocket.get(socket);
    return last?.closed === true ? undefined : last;
  }
}

/** Connections whose client has been told, or will be. Their parser complains about every further piece, and the end. */
const refused = new WeakSet<Duplex>();

/**
 * Sends the last words on a connection and throws away what the client still sends. A socket that is closed with unread
 * bytes resets the connection, and a reset takes from the client what it has not read yet (RFC 9112, section 9.6).
 */
function endWith(text: string, socket: Duplex): void {
  // No parser any more: the rest of a request that was refused must not become one that is carried out.
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.end(text);
  const stopTimer = after(lingerMs, () => socket.destroy());
  socket.once('close', stopTimer);
}

/** Of everything else that comes here (a reset, TLS that was never agreed on), nobody is left to be told. */
function isAnswerable(error: Error): boolean {
  const code = systemCode(error) ?? '';
  return code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

function replyText(problem: AppError): string {
  const status = statusOfCode[problem.code];
  const body = problemText(problem, '');
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function refuse(error: Error, socket: Duplex, replies: LastReplies): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  const last = replies.pending(socket);
  const isHalfSent = last !== undefined && last.headersSent && !last.req.complete;
  if (!isAnswerable(error) || !socket.writable || isHalfSent) {
    socket.destroy();
    return;
  }
  const text = replyText(whatIsWrong(error));
  // The replies to requests that came whole come first, or the client would take this one for one of them.
  if (last?.req.complete) last.once('finish', () => endWith(text, socket));
  else endWith(text, socket);
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
  const replies = new LastReplies();
  server.on('request', (_req, res) => replies.add(res));
  server.on('clientError', (error, socket) => refuse(error, socket, replies));
  server.on('checkExpectation', refuseExpectation);
}
