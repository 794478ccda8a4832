import type { Request } from 'express';

/** The name of the user who has sent a request; null on a server where nobody logs in. */
export function userOf(req: Pick<Request, 'principal'>): string | null {
  return req.principal?.name ?? null;
}
