import type { Request, RequestHandler } from 'express';
import basicAuth from 'express-basic-auth';
import { ipKeyGenerator, MemoryStore, type Options } from 'express-rate-limit';
import { AppError } from '../../lib/app-error.ts';
import { jsonText } from '../reply/json.ts';
import { problemDocument } from '../reply/problem.ts';

const windowMs = 60_000;
const failuresPerWindow = 30;

/** The address of the connection: a forwarded one could be made up by anybody. */
function addressOf(req: Request): string {
  // IPv6 by /56: one site has that many addresses to try from.
  return ipKeyGenerator(req.socket.remoteAddress ?? '::');
}

/** Answers 429, whatever the password, once an address has failed to log in too often. */
function refuseAfterFailures(failures: MemoryStore): RequestHandler {
  return async (req, _res, next) => {
    const known = await failures.get(addressOf(req));
    const remainingMs = (known?.resetTime?.getTime() ?? 0) - Date.now();
    if (known === undefined || known.totalHits < failuresPerWindow || remainingMs <= 0) return next();
    const message = 'too many failed logins from this address; wait a minute';
    throw new AppError('too-many-attempts', message, { retryAfterSeconds: Math.ceil(remainingMs / 1000) });
  };
}

function unauthorizedBody(req: Request): string {
  // express-basic-auth sends this as it is and keeps a content type that is set already.
  req.res?.type('application/problem+json');
  const error = new AppError('unauthorized', 'a valid user name and password are required');
  return jsonText(problemDocument(error, req));
}

/** HTTP Basic authentication (RFC 7617). Both comparisons are always made, each in constant time. */
export function authentication(auth: { readonly user: string; readonly password: string }): RequestHandler[] {
  // Failures alone are counted. The library's middleware counts every request and takes it back when its reply ends:
  // thirty streams at a time, or as many that were broken off, would lock everybody of that address out.
  const failures = new MemoryStore();
  failures.init({ windowMs } as Options);
  const check = basicAuth({
    authorizer: (user: string, password: string) => {
      const isUser = basicAuth.safeCompare(user, auth.user);
      const isPassword = basicAuth.safeCompare(password, auth.password);
      return isUser && isPassword;
    },
    challenge: true,
    // The library puts quotes around the realm and knows no charset; RFC 7617, section 2.1 wants it right behind.
    realm: 'lab-api", charset="UTF-8',
    unauthorizedResponse: (req: Request) => {
      void failures.increment(addressOf(req));
      return unauthorizedBody(req);
    },
  });
  const remember: RequestHandler = (req, _res, next) => {
    req.user = auth.user;
    next();
  };
  return [refuseAfterFailures(failures), check, remember];
}
