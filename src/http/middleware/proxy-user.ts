import type { Request } from 'express';
import type { User, Users } from '../../access/model/user.ts';
import { AppError, fieldError } from '../../lib/app-error.ts';

interface ProxyUserDeps {
  /** In lower case. */
  readonly userHeader: string;
  readonly users: Users;
}

/** Whether the connection comes from a trusted proxy: what Express asks too, before it believes X-Forwarded-For. */
function isOfProxy(req: Request): boolean {
  const isTrusted = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const { remoteAddress } = req.socket;
  return remoteAddress !== undefined && isTrusted(remoteAddress, 0);
}

/** Every value, also of a header that came several times. Names and values stand in turns. */
function valuesOf({ rawHeaders }: Request, header: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === header);
}

/** Proxies write UTF-8, and Node reads each byte as a letter of its own. */
function decoded(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/**
 * Who a trusted proxy says has sent a request. The function gives undefined when it says nothing: the request then logs in as any.
 * It throws AppError `invalid-request` when anybody else says so, or the proxy says it twice; `forbidden` for a name that is
 * no user's.
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
    // Some proxies send it so when nobody has signed in.
    if (value === '') return undefined;
    const name = decoded(value);
    const user = users.byName(name);
    if (user !== undefined) return user;
    const message = `${JSON.stringify(name.slice(0, 128))} has signed in, and is no user of this server: whoever runs it can add one ("lab user add")`;
    throw new AppError('forbidden', message);
  };
}
