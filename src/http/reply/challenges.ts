import type { Request } from 'express';

const basic = 'Basic realm="lab-api", charset="UTF-8"';
const bearer = 'Bearer realm="lab-api"';
const invalidToken = `${bearer}, error="invalid_token", error_description="the token is not known, was revoked, or has expired"`;

/**
 * Whether a page asks by itself, and not the person before it. Browsers say so in `Sec-Fetch-Mode`, but not to servers of plain
 * HTTP other than their own machine: there, a browser is told by its name, and a person by asking for a page.
 */
function isOfPage({ headers }: Pick<Request, 'headers'>): boolean {
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined) return mode !== 'navigate';
  const isBrowser = headers['user-agent']?.startsWith('Mozilla/') ?? false;
  return isBrowser && !(headers.accept?.includes('text/html') ?? false);
}

/**
 * How to log in, for a 401 (RFC 7617, section 2; RFC 6750, section 3). A page that asks by itself is told of tokens only: at the
 * other, browsers would ask the person with a window of their own, in the middle of the page.
 */
export function challengesFor(req: Pick<Request, 'headers'>): string[] {
  const hasToken = /^bearer /i.test(req.headers.authorization ?? '');
  return [...(isOfPage(req) ? [] : [basic]), hasToken ? invalidToken : bearer];
}
