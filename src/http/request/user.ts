import type { Request } from 'express';

/** Returns the name of the user who has sent a request; null on a server without users. */
export function userOf(req: Pick<Request, 'principal'>): string | null {
  return req.principal?.name ?? null;
}
