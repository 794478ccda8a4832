/** The rules of the `Host` header. */
import net, { type Socket } from 'node:net';
import os from 'node:os';
import type { RequestHandler } from 'express';
import { AppError } from '../../lib/app-error.ts';

/** Connections that end with the reply to a request that was refused here. */
const ending = new WeakSet<Socket>();

/** RFC 9112, section 3.2: a request of HTTP/1.1 without a `Host` header, or with several, is answered 400. */
export const oneHost: RequestHandler = (req, res, next) => {
  // This request came in the same packet. Node would run it, though its reply could not be sent.
  if (ending.has(req.socket)) return;
  // Names and values take turns. Node's `headersDistinct` would parse all headers for this.
  const hosts = req.rawHeaders.filter((word, at) => at % 2 === 0 && word.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && req.httpVersion === '1.0')) return next();
  // A proxy may have read another request in these bytes, so further requests on this connection are not trusted.
  ending.add(req.socket);
  res.set('Connection', 'close');
  throw new AppError('invalid-request', 'the request must have one Host header');
};

/** Returns the host of a `Host` header, without port and brackets; undefined for a malformed header. */
function hostName(header: string): string | undefined {
  const [, address, name] = /^(?:\[([^\]]*)\]|([^[\]]*?))(?::\d*)?$/.exec(header) ?? [];
  return (address ?? name)?.toLowerCase().replace(/\.$/, '');
}

/**
 * For servers without users. A web page could give its own name our address (DNS rebinding), and then use this server as if it
 * were its own. So only names that no other site can point at us are answered: addresses, the names of this machine, and those
 * that the administrator allows.
 */
export function knownHost(allowed: readonly string[]): RequestHandler {
  const names = new Set(['localhost', os.hostname().toLowerCase(), ...allowed]);
  return (req, _res, next) => {
    // HTTP/1.0 needs no Host; a browser always sends one.
    const header = req.headers.host ?? 'localhost';
    const host = hostName(header);
    const isKnown =
      host !== undefined && (names.has(host) || host.endsWith('.localhost') || net.isIP(host) !== 0);
    if (isKnown) return next();
    throw new AppError(
      'forbidden-host',
      `this server does not answer to the name "${host ?? header}"; allow it with LAB_API_ALLOWED_HOSTS`,
    );
  };
}
