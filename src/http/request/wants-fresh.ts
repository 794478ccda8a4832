import type { Request } from 'express';

/** Whether the client wants nothing that was read before (RFC 9111, section 5.2.1.4). */
export function wantsFresh(req: Request): boolean {
  return /\bno-cache\b/.test(req.get('Cache-Control') ?? '');
}
