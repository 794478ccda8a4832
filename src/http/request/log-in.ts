import type { Request } from 'express';
import type { LoginOutcome } from '../../access/model/logins.ts';
import type { Principal } from '../../access/model/principal.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { addressOf } from './address.ts';

const inSeconds = (ms: number): { retryAfterSeconds: number } => ({
  retryAfterSeconds: Math.ceil(ms / 1000),
});

export function lockedOut(waitMs: number): AppError {
  const message = 'too many failed logins from this address; wait a minute';
  return new AppError('too-many-attempts', message, inSeconds(waitMs));
}

export function loginFailed(): AppError {
  return new AppError('unauthorized', 'a valid login is required: a user name and password, or a token');
}

/** Returns the error for a login that did not succeed. A wrong one goes to the log, without the name and the password. */
export function refusalOf(
  outcome: Exclude<LoginOutcome, { readonly kind: 'known' }>,
  req: Request,
  log: Logger,
): AppError {
  switch (outcome.kind) {
    case 'locked':
      return lockedOut(outcome.waitMs);
    case 'busy': {
      const message = 'too many passwords wait to be checked; try again in a moment';
      return new AppError('too-many-attempts', message, inSeconds(outcome.waitMs));
    }
    case 'wrong': {
      const address = addressOf(req);
      log.info('a login failed', { requestId: req.id, address });
      if (outcome.locksOut) log.warn('an address is locked out after too many failed logins', { address });
      return loginFailed();
    }
  }
}

/** Returns the user who has logged in. @throws AppError `unauthorized`, `too-many-attempts`. */
export function principalFrom(outcome: LoginOutcome, req: Request, log: Logger): Principal {
  if (outcome.kind === 'known') return outcome.principal;
  throw refusalOf(outcome, req, log);
}
