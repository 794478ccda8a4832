import type { Request, RequestHandler } from 'express';
import basicAuth from 'express-basic-auth';
import { rateLimit } from 'express-rate-limit';
import { AppError } from '../../lib/app-error.ts';
import { problemDocument, sendProblem } from '../problem.ts';

const windowMs = 60_000;
const failuresPerWindow = 30;

/** Answers 429 once an address has failed to log in too often; successes do not count. */
function limitFailures(): RequestHandler {
  return rateLimit({
    windowMs,
    limit: failuresPerWindow,
    standardHeaders: false,
    legacyHeaders: false,
    // The address of the connection: a forwarded one could be made up by anybody.
    keyGenerator: (req) => req.socket.remoteAddress ?? 'unknown',
    requestWasSuccessful: (_req, res) => res.statusCode !== 401,
    skipSuccessfulRequests: true,
    validate: false,
    handler: (req, res) => {
      const message = 'too many failed logins from this address; wait a minute';
      sendProblem(
        new AppError('too-many-attempts', message, { retryAfterSeconds: windowMs / 1000 }),
        req,
        res,
      );
    },
  });
}

function unauthorizedBody(req: Request): Record<string, unknown> {
  // express-basic-auth sends this as JSON and keeps a content type that is set already.
  req.res?.type('application/problem+json');
  return problemDocument(new AppError('unauthorized', 'a valid user name and password are required'), req);
}

/** HTTP Basic authentication (RFC 7617). Both comparisons are always made, each in constant time. */
export function authentication(auth: { readonly user: string; readonly password: string }): RequestHandler[] {
  const check = basicAuth({
    authorizer: (user: string, password: string) => {
      const isUser = basicAuth.safeCompare(user, auth.user);
      const isPassword = basicAuth.safeCompare(password, auth.password);
      return isUser && isPassword;
    },
    challenge: true,
    // The library puts quotes around the realm and knows no charset; RFC 7617, section 2.1 wants it right behind.
    realm: 'lab-api", charset="UTF-8',
    unauthorizedResponse: unauthorizedBody,
  });
  const remember: RequestHandler = (req, _res, next) => {
    req.user = auth.user;
    next();
  };
  return [limitFailures(), check, remember];
}
