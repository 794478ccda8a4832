import { ipKeyGenerator } from 'express-rate-limit';
import type { Request } from 'express';

/** The address of the connection: a forwarded one could be made up by anybody. */
export function addressOf(req: Pick<Request, 'socket'>): string {
  // IPv6 by /56: one site has that many addresses to try from.
  return ipKeyGenerator(req.socket.remoteAddress ?? '::');
}
