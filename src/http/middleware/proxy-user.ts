import type { Request } from 'express';
import type { User, Users } from '../../access/model/user.ts';
import { AppError, fieldError } from '../../lib/app-error.ts';

interface ProxyUserDeps {
  /** In lower case. */
  readonly userHeader: string;
  readonly users: Users;
}

/** Whether the connection comes from a trusted proxy, by the same rule as Express's for X-Forwarded-For. */
function isOfProxy(req: Request): boolean {
  const isTrusted = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const { remoteAddress } = req.socket;
  return remoteAddress !== undefined && isTrusted(remoteAddress, 0);
}

/** Returns all values of a header, which may be there several times. Names and values take turns. */
function valuesOf({ rawHeaders }: Request, header: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === header);
}

/** Proxies send UTF-8, and Node reads each byte as one character. */
function decoded(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/**
 * Returns a function that finds the user in the header of a trusted proxy. It returns undefined without a name: the request then
 * logs in like any other. It throws AppError `invalid-request` if another client sends the header, or the proxy sends it twice, and
 * `forbidden` for an unknown name.
 */
export function proxyUser({ userHeader, users }: ProxyUserDeps): (req: Request) => User | undefined {
  return (req) => {
    const [value, ...others] = valuesOf(req, userHeader);
    if (value === undefined) return undefined;
    if (!isOfProxy(req))
      throw fieldError('invalid-request', userHeader, 'only a trusted proxy may say who a user is');
    if (others.length > 0)
      throw fieldError(
        'invalid-request',
        userHeader,
        'is there twice: the proxy must replace what comes from a client',
      );
    // Some proxies send an empty header for a request without a user.
    if (value === '') return undefined;
    const name = decoded(value);
    const user = users.byName(name);
    if (user !== undefined) return user;
    const message = `${JSON.stringify(name.slice(0, 128))} has signed in, and is no user of this server: an administrator can add one ("lab user add")`;
    throw new AppError('forbidden', message);
  };
}
