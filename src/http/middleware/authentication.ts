import type { Request, RequestHandler } from 'express';
import type { LoginOutcome, Logins } from '../../access/model/logins.ts';
import type { Principal } from '../../access/model/principal.ts';
import type { User } from '../../access/model/user.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { addressOf } from '../request/address.ts';
import { credentialsOf } from '../request/credentials.ts';
import { lockedOut, refusalOf } from '../request/log-in.ts';
import { basicLogin, type Decided, type PasswordCheck } from './basic-login.ts';

interface AuthenticationDeps {
  readonly config: Pick<Config, 'basePath' | 'tls'>;
  readonly logins: Logins;
  /** Returns the user that a trusted proxy names. Undefined without such a proxy. @throws AppError if the client may not send the header. */
  readonly proxyUser: ((req: Request) => User | undefined) | undefined;
  /** Answers probes without details. An orchestrator must not restart a service because a client guesses passwords. */
  readonly probes: RequestHandler;
  readonly log: Logger;
}

/**
 * Finds the user who sends a request: by the header of a trusted proxy, by HTTP Basic (RFC 7617), by a bearer token (RFC 6750)
 * or by the cookie of a session. It refuses wrong credentials. A request without credentials passes without a user, because
 * its route may be public, unless its address is locked out. Probes are answered in any case: to a locked address, and while
 * too many passwords wait for their check.
 */
export function authentication(deps: AuthenticationDeps): RequestHandler {
  const { config, logins, proxyUser, probes, log } = deps;
  return (req, res, next) => {
    const address = addressOf(req);
    const turnAway = (error: AppError): void => void probes(req, res, () => next(error));

    const proceed = (principal: Principal | undefined): void => {
      req.principal = principal;
      const waitMs = principal === undefined ? logins.lockedMs(address) : 0;
      if (waitMs > 0) turnAway(lockedOut(waitMs));
      else next();
    };
    const decide = (outcome: LoginOutcome, decided: Decided): void => {
      if (outcome.kind === 'known') {
        req.principal = outcome.principal;
        return decided();
      }
      const error = refusalOf(outcome, req, log);
      if (outcome.kind === 'wrong') decided(error);
      else turnAway(error);
    };
    const checkPassword: PasswordCheck = (name, password, decided) => {
      const outcome = logins.byPassword(name, password, address);
      // Synchronous where possible: each of hundreds of guesses that arrive together must find the count of those before it.
      if (outcome instanceof Promise) outcome.then((late) => decide(late, decided)).catch(next);
      else decide(outcome, decided);
    };

    const named = proxyUser?.(req);
    if (named) return proceed(logins.byProxy(named.name));
    const credentials = credentialsOf(req, config);
    switch (credentials.kind) {
      case 'password':
        return basicLogin(credentials, checkPassword)(req, res, next);
      case 'token':
        return decide(logins.byToken(credentials.secret, address), next);
      case 'malformed':
        // Counts as a wrong token.
        return decide(logins.byToken('', address), next);
      case 'session':
        return proceed(logins.bySession(credentials.secret));
      case 'none':
        return proceed(undefined);
    }
  };
}

/** Leaves requests without a login to `open`, and refuses all that `open` does not answer: such a client must not learn which paths exist. */
export function anonymousRoutes(open: RequestHandler): RequestHandler {
  return (req, res, next) => {
    if (req.principal !== undefined) return next();
    const message = 'a login is required: a user name and password, a token, or a session';
    open(req, res, (error?: unknown) => next(error ?? new AppError('unauthorized', message)));
  };
}
