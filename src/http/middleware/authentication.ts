import type { Request, RequestHandler } from 'express';
import basicAuth from 'express-basic-auth';
import { anybody } from '../../access/model/principal.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { jsonText } from '../reply/json.ts';
import { problemDocument } from '../reply/problem.ts';
import { addressOf, FailedLogins } from './failed-logins.ts';

function unauthorizedBody(req: Request): string {
  // express-basic-auth sends this as it is and keeps a content type that is set already.
  req.res?.type('application/problem+json');
  const error = new AppError('unauthorized', 'a valid user name and password are required');
  return jsonText(problemDocument(error, req));
}

interface AuthenticationDeps {
  readonly auth: { readonly user: string; readonly password: string };
  /** Answers the probes, telling no more than that: an orchestrator must not restart a service because somebody guesses. */
  readonly probes: RequestHandler;
  readonly log: Logger;
}

/**
 * HTTP Basic authentication (RFC 7617). Both comparisons are always made, each in constant time. An address with too many
 * wrong passwords is locked out for a while, with the right password too: else it could go on guessing. Probes are answered
 * to it all the same, whatever password they bring.
 */
export function authentication({ auth, probes, log }: AuthenticationDeps): RequestHandler[] {
  const failures = new FailedLogins();
  const answerProbes: RequestHandler = (req, res, next) => {
    if (failures.lockedMs(addressOf(req)) === 0) return next();
    probes(req, res, next);
  };
  const refuseLocked: RequestHandler = (req, _res, next) => {
    const remainingMs = failures.lockedMs(addressOf(req));
    if (remainingMs === 0) return next();
    const message = 'too many failed logins from this address; wait a minute';
    throw new AppError('too-many-attempts', message, { retryAfterSeconds: Math.ceil(remainingMs / 1000) });
  };
  /** A request without credentials asks what is wanted (curl --anyauth, wget, browsers): that is no guess. */
  const countFailure = (req: Request): void => {
    if (!req.get('Authorization')) return;
    const address = addressOf(req);
    log.info('a login failed', { requestId: req.id, address });
    if (failures.count(address))
      log.warn('an address is locked out after too many failed logins', { address });
  };
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
      countFailure(req);
      return unauthorizedBody(req);
    },
  });
  const remember: RequestHandler = (req, _res, next) => {
    req.principal = { ...anybody, name: auth.user, loggedInBy: 'password' };
    next();
  };
  return [answerProbes, refuseLocked, check, remember];
}
