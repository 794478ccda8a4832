import type { Request, RequestHandler } from 'express';
import { AppError } from '../../lib/app-error.ts';
import { isListedOrigin } from './cross-origin.ts';

/**
 * Whether a browser sent this request for a page of another site. Current browsers send `Sec-Fetch-Site` (Fetch Metadata), and
 * older ones send `Origin`. Programs send neither.
 */
function isCrossSite(req: Request): boolean {
  const site = req.get('Sec-Fetch-Site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = req.get('Origin');
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== req.get('Host');
}

/**
 * A WebSocket is opened with GET. Browsers let pages of any site open one, with the user's stored password, and read its messages
 * (RFC 6455, section 10.2).
 */
export function asksForWebSocket(req: Pick<Request, 'headers'>): boolean {
  return req.headers.upgrade?.toLowerCase() === 'websocket';
}

/** @throws AppError `cross-site` for a request of a page of another site, unless its origin is listed. */
export function refuseOtherSite(req: Request, origins: readonly string[]): void {
  if (isCrossSite(req) && !isListedOrigin(req, origins))
    throw new AppError('cross-site', 'a page of another site may not do this; open the service itself');
}

/** Refuses changes that a page of another site makes, with the user's stored password or on a server without users. */
export const sameSite =
  (origins: readonly string[]): RequestHandler =>
  (req, _res, next) => {
    const isChange = !['GET', 'HEAD', 'OPTIONS'].includes(req.method) || asksForWebSocket(req);
    if (isChange) refuseOtherSite(req, origins);
    next();
  };
