import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** The headers with which helmet protects browsers, by name. They are the same for every reply, so it is asked for them once. */
export function securityHeadersOf(isEncrypted: boolean): ReadonlyMap<string, string> {
  // Over plain HTTP, `upgrade-insecure-requests` and HSTS would only break pages.
  const setHeaders = helmet({
    contentSecurityPolicy: { directives: { upgradeInsecureRequests: isEncrypted ? [] : null } },
    strictTransportSecurity: isEncrypted,
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

export function securityHeaders(isEncrypted: boolean): RequestHandler {
  const headers = securityHeadersOf(isEncrypted);
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}
