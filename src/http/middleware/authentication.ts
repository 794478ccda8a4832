import type { Request, RequestHandler } from 'express';
import type { LoginOutcome, Logins } from '../../access/model/logins.ts';
import type { Principal } from '../../access/model/principal.ts';
import type { User } from '../../access/model/user.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { addressOf } from '../request/address.ts';
import { credentialsOf } from '../request/credentials.ts';
import { lockedOut, principalFrom } from '../request/log-in.ts';

interface AuthenticationDeps {
  readonly config: Pick<Config, 'basePath' | 'tls'>;
  readonly logins: Logins;
  /** Whom a trusted proxy names. Undefined where there is none. @throws AppError for what is not the proxy's to say. */
  readonly proxyUser: ((req: Request) => User | undefined) | undefined;
  /** Answers the probes, telling no more than that: an orchestrator must not restart a service because somebody guesses. */
  readonly probes: RequestHandler;
  readonly log: Logger;
}

type Outcome = LoginOutcome | undefined;

const knownAs = (principal: Principal | undefined): Outcome => principal && { kind: 'known', principal };

function loginOf(
  req: Request,
  { config, logins, proxyUser }: Pick<AuthenticationDeps, 'config' | 'logins' | 'proxyUser'>,
): Outcome | Promise<LoginOutcome> {
  const named = proxyUser?.(req);
  if (named) return knownAs(logins.byProxy(named.name));
  const credentials = credentialsOf(req, config);
  const address = addressOf(req);
  switch (credentials.kind) {
    case 'password':
      return logins.byPassword(credentials.name, credentials.password, address);
    case 'token':
      return logins.byToken(credentials.secret, address);
    case 'malformed':
      // As wrong as a token that is none.
      return logins.byToken('', address);
    case 'session':
      return knownAs(logins.bySession(credentials.secret));
    case 'none':
      return undefined;
  }
}

/**
 * Finds out who sends a request: by what a trusted proxy says, by HTTP Basic (RFC 7617), a bearer token (RFC 6750) or the
 * cookie of a session. What is wrong is refused here. A request that brings none of these goes on as nobody's, for it may ask
 * for something public, but not from an address that is locked out. Probes are answered to such an address all the same,
 * whatever they bring, and while too many passwords wait to be looked at.
 */
export function authentication(deps: AuthenticationDeps): RequestHandler {
  const { logins, probes, log } = deps;
  return (req, res, next) => {
    const finish = (outcome: Outcome): void => {
      const waitMs = logins.lockedMs(addressOf(req));
      const isLocked = outcome === undefined && waitMs > 0;
      const refuse = (error: unknown): void => {
        if (!isLocked && outcome?.kind === 'wrong') return next(error);
        void probes(req, res, () => next(error));
      };
      if (isLocked) return refuse(lockedOut(waitMs));
      try {
        req.principal = outcome && principalFrom(outcome, req, log);
      } catch (error) {
        return refuse(error);
      }
      next();
    };
    const outcome = loginOf(req, deps);
    // Synchronous where it can be: each of hundreds of guesses that come at once finds the count of those before it.
    if (outcome instanceof Promise) outcome.then(finish, next);
    else finish(outcome);
  };
}

/** Leaves whoever did not log in to `open`, and refuses what is not there: of the rest they learn nothing, not even what exists. */
export function anonymousRoutes(open: RequestHandler): RequestHandler {
  return (req, res, next) => {
    if (req.principal !== undefined) return next();
    const message = 'a login is required: a user name and password, a token, or a session';
    open(req, res, (error?: unknown) => next(error ?? new AppError('unauthorized', message)));
  };
}
