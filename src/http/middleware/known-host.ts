import net from 'node:net';
import os from 'node:os';
import type { RequestHandler } from 'express';
import { AppError } from '../../lib/app-error.ts';

/** The host part of a `Host` header, without port and brackets; undefined for one that is not well formed. */
function hostName(header: string): string | undefined {
  const [, address, name] = /^(?:\[([^\]]*)\]|([^[\]]*?))(?::\d*)?$/.exec(header) ?? [];
  return (address ?? name)?.toLowerCase().replace(/\.$/, '');
}

/**
 * Without a password, a web page could give its own name our address (DNS rebinding) and then talk to us as if we were
 * its server. So only names that nobody else can point at us are answered: addresses, this machine's own, and those
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
