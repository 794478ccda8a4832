import net from 'node:net';
import os from 'node:os';
import type { RequestHandler } from 'express';
import { AppError } from '../../lib/app-error.ts';

/** The host part of a `Host` header, without port and brackets. */
function hostName(header: string): string {
  const name = header.startsWith('[') ? header.slice(1, header.indexOf(']')) : header.replace(/:\d*$/, '');
  return name.toLowerCase().replace(/\.$/, '');
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
    const host = hostName(req.get('Host') ?? 'localhost');
    if (names.has(host) || host.endsWith('.localhost') || net.isIP(host) !== 0) return next();
    throw new AppError(
      'forbidden-host',
      `this server does not answer to the name "${host}"; allow it with LAB_API_ALLOWED_HOSTS`,
    );
  };
}
