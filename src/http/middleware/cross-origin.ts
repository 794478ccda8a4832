import type { Request, RequestHandler } from 'express';

/** What the API reads of a request beyond what browsers let any page send (https://fetch.spec.whatwg.org/#cors-safelisted-request-header). */
const requestHeaders = [
  'Authorization',
  'Cache-Control',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Range',
  'X-Request-Id',
];

/** What the API sends and a page may not read unless it is named. */
const replyHeaders = [
  'Accept-Ranges',
  'Age',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Log-Next-Offset',
  'X-More-Data',
  'X-Request-Id',
];

/** The same for every path, also for one that does not exist: whoever has no password learns nothing from it. */
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const maxAgeSeconds = 600;

/** Whether a page asks on behalf of a site that `LAB_API_CORS_ORIGINS` lists. Browsers write origins in one way only. */
export function isListedOrigin(req: Request, origins: readonly string[]): boolean {
  return origins.includes(req.get('Origin') ?? '');
}

/**
 * Lets pages of the listed origins use the API from a browser (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol).
 * It comes before whatever may refuse a request: a page cannot read an error without these headers, and a preflight never
 * has a password. Requests of all others are treated as if there were no CORS.
 */
export function crossOrigin(origins: readonly string[]): RequestHandler {
  return (req, res, next) => {
    // Also where nothing is allowed: a cache must not give that reply to a page that may read its own.
    res.vary('Origin');
    if (!isListedOrigin(req, origins)) return next();
    res.set({
      'Access-Control-Allow-Origin': req.get('Origin'),
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Expose-Headers': replyHeaders.join(', '),
    });
    const isPreflight = req.method === 'OPTIONS' && req.get('Access-Control-Request-Method') !== undefined;
    if (!isPreflight) return next();
    res.set({
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': requestHeaders.join(', '),
      'Access-Control-Max-Age': String(maxAgeSeconds),
    });
    res.status(204).end();
  };
}
