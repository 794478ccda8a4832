import { ipKeyGenerator } from 'express-rate-limit';
import type { Request } from 'express';

/** Some proxies forward the port as well, which is another for each connection. */
const withPort = /^(?:\[(.+)\]|([\d.]+)):\d+$/;

/** The address of the connection, or the one that a trusted proxy forwards: any other client could invent one. */
export function addressOf({ ip = 'gone' }: Pick<Request, 'ip'>): string {
  // The address of a connection that is cut is not known. It must differ from each real address.
  const [, six, four] = withPort.exec(ip) ?? [];
  // IPv6 by /56: one site has that many addresses to try from.
  return ipKeyGenerator(six ?? four ?? ip);
}
