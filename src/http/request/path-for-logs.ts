import type { Request } from 'express';

/** Scheme, user, password and host of a request to a proxy (RFC 9112, section 3.2.2). */
const beforePath = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** The path of a request, and nothing else of its target: what a client considers private may be in the rest. */
export function pathForLogs({ originalUrl }: Pick<Request, 'originalUrl'>): string {
  return (originalUrl.split('?')[0] ?? '').replace(beforePath, '');
}
