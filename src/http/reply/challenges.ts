import type { Request } from 'express';

const basic = 'Basic realm="lab-api", charset="UTF-8"';
const bearer = 'Bearer realm="lab-api"';
const invalidToken = `${bearer}, error="invalid_token", error_description="the token is not known, was revoked, or has expired"`;

/**
 * How to log in, for a 401 (RFC 7617, section 2; RFC 6750, section 3). A page that asks by itself is told of tokens only: at the
 * other, browsers would ask the person with a window of their own, in the middle of the page.
 */
export function challengesFor({ headers }: Pick<Request, 'headers'>): string[] {
  const hasToken = /^bearer /i.test(headers.authorization ?? '');
  const mode = headers['sec-fetch-mode'];
  const isPerson = mode === undefined || mode === 'navigate';
  return [...(isPerson ? [basic] : []), hasToken ? invalidToken : bearer];
}
