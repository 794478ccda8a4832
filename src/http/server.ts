/** The listening socket: plain HTTP, or TLS whose certificate can be replaced while it runs. */
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';
import type { Express } from 'express';
import { messageOf, systemCode } from '../lib/app-error.ts';
import { deferred } from '../lib/async/deferred.ts';
import { after, Disposer } from '../lib/async/disposal.ts';
import type { Logger } from '../lib/logger.ts';
import { readPem } from '../lib/net/pem.ts';
import { watchFiles } from '../lib/files/watch-files.ts';
import { encryptionOf, securityHeadersOf } from './middleware/security-headers.ts';
import { streamTurns } from './reply/stream.ts';
import { ParserErrors } from './parser-errors.ts';
import { answerUpgrades } from './upgrades.ts';
import { hasBody, isUpload } from './request/upload.ts';

/**
 * Has the server make requests and replies with the prototypes that Express would give them. Express sets the prototype of
 * each when it comes, for which V8 forgets what it knows of the object, and then everything that Node does with it is slow:
 * three quarters of the processor time of a small request. To set the prototype that is there already costs nothing.
 */
export function withExpressPrototypes(
  app: Express,
): Pick<http.ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class AppRequest extends http.IncomingMessage {}
  class AppResponse<Request extends http.IncomingMessage> extends http.ServerResponse<Request> {}
  // Express's own methods stand between these classes and Node's.
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Node's own default for a whole request (`requestTimeout`). */
const bodyTimeoutMs = 300_000;

/** The error that Node itself emits for a request that took too long. */
function timeoutError(): Error {
  return Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}

/**
 * Has a body come within five minutes, like the `requestTimeout` of Node, which cannot make an exception: uploads take as
 * long as they need, and are cut off when they come too slowly (request/upload.ts).
 */
export function limitBodyTime(server: http.Server): void {
  server.on('request', (req, res) => {
    if (!hasBody(req)) return;
    const stop = after(bodyTimeoutMs, () => {
      if (!req.complete && !isUpload(req)) server.emit('clientError', timeoutError(), req.socket);
    });
    res.once('close', stop);
  });
}

/**
 * A closed socket for a reply that never had its own. Without `_hadError`, a reply that ends later is taken off the socket of its
 * connection, and an assertion of Node fails: it was never on it.
 */
function goneSocket(): net.Socket {
  return Object.assign(new net.Socket().destroy(), { _hadError: true });
}

/**
 * Node emits no `close` for a reply that waits for earlier ones of its connection (pipelining) when the connection ends.
 * The log, the audit and the metrics note a request then, and work for it stops.
 */
export function closeWaitingReplies(server: http.Server): void {
  const waiting = new WeakMap<net.Socket, Set<http.ServerResponse>>();
  server.on('request', ({ socket }, res) => {
    if (res.socket !== null) return;
    const replies = waiting.get(socket) ?? new Set();
    if (!waiting.has(socket)) {
      waiting.set(socket, replies);
      socket.once('close', () => {
        for (const reply of replies) if (reply.socket === null) reply.assignSocket(goneSocket());
      });
    }
    replies.add(res);
    res.once('close', () => replies.delete(res));
  });
}

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The pair is made during the start, and need not be there before the server listens. */
  readonly isSelfSigned: boolean;
}

/** The time for open requests to end after the streams have ended; then their connections are cut. */
const closeGraceMs = 3_000;
/** Certificate tools write several files one after the other: wait until they are done. */
const reloadDelayMs = 200;

/**
 * A request without `Host` comes to the middleware, which answers it in our own words. How long a body may take is up to
 * `limitBodyTime`: an upload takes as long as it needs.
 */
const httpOptions: http.ServerOptions = {
  requireHostHeader: false,
  requestTimeout: 0,
  headersTimeout: 60_000,
};

function readPart(file: string, kind: 'certificate' | 'key'): Buffer {
  try {
    return readPem(file, kind);
  } catch (error) {
    // The same file may have been given for both.
    throw new Error(`the ${kind}: ${messageOf(error)}`, { cause: error });
  }
}

function readPair({ certFile, keyFile }: TlsFiles): { cert: Buffer; key: Buffer } {
  const pair = { cert: readPart(certFile, 'certificate'), key: readPart(keyFile, 'key') };
  // Fails when either is damaged or when they do not belong together.
  createSecureContext({ ...pair, minVersion: 'TLSv1.2' });
  return pair;
}

/** An address as it stands in a URL. */
function urlOf(scheme: string, address: net.AddressInfo): string {
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${scheme}://${host}:${address.port}`;
}

export class ApiServer {
  readonly #server: http.Server | https.Server;
  readonly #tls: TlsFiles | undefined;
  readonly #log: Logger;
  readonly #disposer = new Disposer();
  /** All that are open. Node itself knows only those on which TLS has come to its end. */
  readonly #sockets = new Set<net.Socket>();

  /** @throws Error when the certificate or the key cannot be used. */
  constructor(app: Express, tls: TlsFiles | undefined, log: Logger) {
    this.#tls = tls;
    this.#log = log;
    const options = { ...httpOptions, ...withExpressPrototypes(app) };
    this.#server = tls
      ? https.createServer({ ...(!tls.isSelfSigned && readPair(tls)), ...options, minVersion: 'TLSv1.2' })
      : http.createServer(options);
    const parserErrors = new ParserErrors(this.#server, securityHeadersOf(encryptionOf(tls)));
    limitBodyTime(this.#server);
    closeWaitingReplies(this.#server);
    const through = app as (req: http.IncomingMessage, res: http.ServerResponse, next: () => void) => void;
    const handle = (req: http.IncomingMessage, res: http.ServerResponse): void =>
      through(req, res, () => parserErrors.refuseTarget(res));
    this.#server.on('request', handle);
    answerUpgrades(this.#server, handle, (socket) => parserErrors.isBusy(socket));
    this.#server.on('connection', (socket: net.Socket) => {
      // Node takes one connection in a turn of the event loop: hundreds that come at once wait for as many turns.
      streamTurns.giveWay();
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    if (tls) {
      this.#server.on('tlsClientError', (error: Error, socket: TLSSocket) =>
        this.#noteTlsError(error, socket),
      );
      if (!tls.isSelfSigned) this.#watchFiles(tls);
    }
  }

  #useSelfSigned(tls: TlsFiles): void {
    // Watch before reading, so that no renewal is missed.
    this.#watchFiles(tls);
    if (this.#server instanceof https.Server)
      this.#server.setSecureContext({ ...readPair(tls), minVersion: 'TLSv1.2' });
  }

  #watchFiles({ certFile, keyFile }: TlsFiles): void {
    const stop = watchFiles([certFile, keyFile], {
      settleMs: reloadDelayMs,
      onChange: () => this.reloadTls(),
      onFail: (error) =>
        this.#log.warn('the TLS files cannot be watched; use SIGHUP', { cause: messageOf(error) }),
    });
    this.#disposer.add(stop);
  }

  /** Logged, because the client only gets a broken connection. */
  #noteTlsError(error: Error, socket: TLSSocket): void {
    const address = socket.remoteAddress;
    if (systemCode(error) === 'ERR_SSL_HTTP_REQUEST')
      this.#log.warn('a client speaks plain HTTP to this port; its URL must begin with https', { address });
    else this.#log.debug('a TLS handshake failed', { address, cause: messageOf(error) });
  }

  /** Takes the current certificate and key for new connections; a bad pair changes nothing: why it is bad. */
  reloadTls(): string | undefined {
    if (!this.#tls || !(this.#server instanceof https.Server)) return undefined;
    try {
      this.#server.setSecureContext({ ...readPair(this.#tls), minVersion: 'TLSv1.2' });
      this.#log.info('the TLS certificate was reloaded', { certificate: this.#tls.certFile });
      return undefined;
    } catch (error) {
      const [what, cause] = [
        'the new TLS certificate or key is not usable; the old pair stays',
        messageOf(error),
      ];
      this.#log.error(what, { cause });
      return `${what}: ${cause}`;
    }
  }

  /** Listens and gives the URL. @throws Error such as EADDRINUSE. */
  async listen(host: string, port: number): Promise<string> {
    if (this.#tls?.isSelfSigned) this.#useSelfSigned(this.#tls);
    const listening = deferred<void>();
    this.#server.once('error', listening.reject);
    this.#server.listen({ host, port, backlog: 1024 }, () => listening.resolve());
    await listening.promise;
    this.#server.off('error', listening.reject);
    this.#server.on('error', (error) =>
      this.#log.error('the server socket failed', { cause: messageOf(error) }),
    );
    return urlOf(this.#tls ? 'https' : 'http', this.#server.address() as net.AddressInfo);
  }

  /** Takes no new connections, lets open requests end, and cuts off those that do not. */
  async close(): Promise<void> {
    this.#disposer.dispose();
    if (!this.#server.listening) return;
    const closed = deferred<void>();
    this.#server.close(() => closed.resolve());
    this.#server.closeIdleConnections();
    const stopTimer = after(closeGraceMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await closed.promise;
    stopTimer();
  }
}
