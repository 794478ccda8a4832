/**
 * Node's HTTP parser refuses some requests before Express receives them. They are answered here with the same problem documents
 * as all others.
 */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, systemCode } from '../lib/app-error.ts';
import { errorSpec } from '../lib/error-codes.ts';
import { after } from '../lib/async/disposal.ts';
import { jsonText } from './reply/json.ts';
import { problemDocument } from './reply/problem.ts';

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

type Headers = ReadonlyMap<string, string>;

interface Words {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** The whole reply to a request with this target, as far as there is one. */
function wordsOf(problem: AppError, originalUrl: string, headers: Headers): Words {
  const id = randomUUID();
  const body = jsonText(problemDocument(problem, { originalUrl, id }));
  const about = {
    'X-Request-Id': id,
    ...Object.fromEntries(headers),
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  };
  return { status: errorSpec(problem.code).status, headers: about, body };
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

/** Connections that were refused. Their parser reports an error for each further piece and for the end. */
const refused = new WeakSet<Duplex>();

function destroyLater(socket: Duplex): void {
  const stopTimer = after(lingerMs, () => socket.destroy());
  socket.once('close', stopTimer);
}

/**
 * Sends the last words on a connection and throws away what the client still sends. A socket that is closed with unread
 * bytes resets the connection, and a reset takes from the client what it has not read yet (RFC 9112, section 9.6).
 */
function endWith(text: string, socket: Duplex): void {
  // No parser any more: the rest of a request that was refused must not become one that is carried out.
  socket.removeAllListeners('data');
  socket.on('data', () => undefined);
  socket.end(text);
  destroyLater(socket);
}

/** After all other errors (a reset, a failed TLS handshake), the client cannot receive an answer. */
function isAnswerable(error: Error): boolean {
  const code = systemCode(error) ?? '';
  return code.startsWith('HPE_') || code === 'ERR_HTTP_REQUEST_TIMEOUT';
}

/** The reply as bytes, for a connection that has no response to write it to. */
function replyText(problem: AppError, securityHeaders: Headers): string {
  const { status, headers, body } = wordsOf(problem, '', securityHeaders);
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${[`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n')}\r\n\r\n${body}`;
}

/** Refuses a request that came whole. */
function answer(problem: AppError, res: ServerResponse, securityHeaders: Headers): void {
  const { status, headers, body } = wordsOf(problem, res.req.url ?? '', securityHeaders);
  res.writeHead(status, headers).end(body);
}

/** All that one server refuses before, or instead of, Express; every reply has `securityHeaders`. */
export class ParserErrors {
  readonly #replies = new LastReplies();
  readonly #securityHeaders: Headers;

  constructor(server: Server, securityHeaders: Headers) {
    this.#securityHeaders = securityHeaders;
    server.on('request', (_req, res) => this.#replies.add(res));
    server.on('clientError', (error, socket) => this.#refuse(error, socket));
    server.on('checkExpectation', (_req, res) => this.#refuseExpectation(res));
  }

  /** Whether a request on this connection waits for its reply. */
  isBusy(socket: Duplex): boolean {
    return this.#replies.pending(socket) !== undefined;
  }

  /**
   * For a target that Express gives to no handler, not even to the first: it cannot be read as a URL (`http://[::1`), and Express
   * itself would answer with a page.
   */
  refuseTarget(res: ServerResponse): void {
    const problem = new AppError('invalid-request', 'the target of the request is not a valid URL');
    answer(problem, res, this.#securityHeaders);
  }

  #refuseExpectation(res: ServerResponse): void {
    this.#replies.add(res);
    const problem = new AppError('expectation-failed', 'of the Expect header, only 100-continue can be met');
    answer(problem, res, this.#securityHeaders);
  }

  #refuse(error: Error, socket: Duplex): void {
    if (refused.has(socket)) return;
    refused.add(socket);
    const last = this.#replies.pending(socket);
    const isHalfSent = last !== undefined && last.headersSent && !last.req.complete;
    if (!isAnswerable(error) || !socket.writable || isHalfSent) {
      socket.destroy();
      return;
    }
    const text = replyText(whatIsWrong(error), this.#securityHeaders);
    // The replies to requests that came whole come first, or the client would take this one for one of them.
    if (!last?.req.complete) endWith(text, socket);
    else {
      last.once('finish', () => endWith(text, socket));
      // It waits for another reply, perhaps for a stream without an end.
      if (last.socket === null) destroyLater(socket);
    }
  }
}
