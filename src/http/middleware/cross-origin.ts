import type { Request, RequestHandler } from 'express';

/** The request headers of the API that browsers do not let every page send (https://fetch.spec.whatwg.org/#cors-safelisted-request-header). */
const requestHeaders = [
  'Authorization',
  'Cache-Control',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Range',
  'X-Request-Id',
];

/** The reply headers of the API that a page may read only if they are listed. */
const replyHeaders = [
  'Accept-Ranges',
  'Age',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Mcp-Session-Id',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Log-Next-Offset',
  'X-More-Data',
  'X-Request-Id',
];

/** The same for every path, also for one that does not exist: a client without a login learns nothing from it. */
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const maxAgeSeconds = 600;

/** Whether the request comes from a page of a site in `LAB_API_CORS_ORIGINS`. Browsers write origins in one form only. */
export function isListedOrigin(req: Request, origins: readonly string[]): boolean {
  return origins.includes(req.get('Origin') ?? '');
}

/**
 * Lets pages of the listed origins use the API from a browser (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol).
 * It comes before all that may refuse a request: a page cannot read an error without these headers, and a preflight never has a
 * password. Other requests are handled as without CORS.
 */
export function crossOrigin(origins: readonly string[]): RequestHandler {
  return (req, res, next) => {
    // For other origins too: a cache must not give their reply to a page of a listed site.
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
