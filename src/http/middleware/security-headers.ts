import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** The encryption of connections. `untrusted`: TLS with a certificate that no authority has signed. */
export type Encryption = 'none' | 'untrusted' | 'trusted';

export function encryptionOf(tls: { readonly isSelfSigned: boolean } | undefined): Encryption {
  if (tls === undefined) return 'none';
  return tls.isSelfSigned ? 'untrusted' : 'trusted';
}

/** Returns the headers with which helmet protects browsers. They are the same for every reply, so helmet runs once. */
export function securityHeadersOf(encryption: Encryption): ReadonlyMap<string, string> {
  const isEncrypted = encryption !== 'none';
  // Over plain HTTP, `upgrade-insecure-requests` and HSTS would only break pages. With HSTS, a browser does not let its user past
  // the warning about a renewed certificate that it does not trust yet (RFC 6797, section 12.1).
  const setHeaders = helmet({
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: isEncrypted ? [] : null } },
    strictTransportSecurity: encryption === 'trusted',
  });
  const headers = new Map<string, string>();
  const sample = new ServerResponse(new IncomingMessage(new Socket()));
  sample.setHeader = (name, value) => {
    headers.set(name, String(value));
    return sample;
  };
  setHeaders(sample.req, sample, () => undefined);
  return headers;
}

export function securityHeaders(encryption: Encryption): RequestHandler {
  const headers = securityHeadersOf(encryption);
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}
