import { ipKeyGenerator } from 'express-rate-limit';
import type { Request } from 'express';

/** The address of the connection, or the one that a trusted proxy forwards: another could be made up by anybody. */
export function addressOf(req: Pick<Request, 'ip'>): string {
  // IPv6 by /56: one site has that many addresses to try from.
  return ipKeyGenerator(req.ip ?? '::');
}
