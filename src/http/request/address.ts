import { ipKeyGenerator } from 'express-rate-limit';
import type { Request, RequestHandler } from 'express';
import type { Logins } from '../../access/model/logins.ts';

/** Some proxies forward the port as well, which is another for each connection. */
const withPort = /^(?:\[(.+)\]|([\d.]+)):\d+$/;

/** The address of the connection, or the one that a trusted proxy forwards: any other client could invent one. */
export function addressOf({ ip = 'gone' }: Pick<Request, 'ip'>): string {
  // The address of a connection that is cut is not known. It must differ from each real address.
  const [, six, four] = withPort.exec(ip) ?? [];
  // IPv6 by /56: one site has that many addresses to try from.
  return ipKeyGenerator(six ?? four ?? ip);
}

/** A request that the service sends to itself for a client has the address of that client, in the audit and everywhere else. */
export function addressOfClient(logins: Logins): RequestHandler {
  return (req, _res, next) => {
    const [, secret] = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '') ?? [];
    const address = secret === undefined ? undefined : logins.lentTo(secret);
    if (address !== undefined) Object.defineProperty(req, 'ip', { value: address });
    next();
  };
}
