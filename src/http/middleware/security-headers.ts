import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** The headers with which helmet protects browsers. They are the same for every reply, so it is asked for them once. */
export function securityHeaders(isEncrypted: boolean): RequestHandler {
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
  return (_req, res, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    next();
  };
}
