import type { Request } from 'express';

const basic = 'Basic realm="lab-api", charset="UTF-8"';
const bearer = 'Bearer realm="lab-api"';
const invalidToken = `${bearer}, error="invalid_token", error_description="the token is not known, was revoked, or has expired"`;

/**
 * Whether a script of a page has sent the request, and not the user of the browser. Browsers send `Sec-Fetch-Mode`, but over plain
 * HTTP only to their own machine. Without it, the name of the browser and a request for a page (`text/html`) decide.
 */
function isOfPage({ headers }: Pick<Request, 'headers'>): boolean {
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined) return mode !== 'navigate';
  const isBrowser = headers['user-agent']?.startsWith('Mozilla/') ?? false;
  return isBrowser && !(headers.accept?.includes('text/html') ?? false);
}

/**
 * Returns the challenges of a 401 (RFC 7617, section 2; RFC 6750, section 3). A script of a page gets the one for tokens only: at
 * the one for Basic, the browser would open a window of its own for the password.
 */
export function challengesFor(req: Pick<Request, 'headers'>): string[] {
  const hasToken = /^bearer /i.test(req.headers.authorization ?? '');
  return [...(isOfPage(req) ? [] : [basic]), hasToken ? invalidToken : bearer];
}
