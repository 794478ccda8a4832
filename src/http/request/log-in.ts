import type { Request } from 'express';
import type { Barred, LoginOutcome } from '../../access/model/logins.ts';
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

type BarredLogin = Pick<Barred, 'user' | 'tokenId'>;

const barredLogins = new WeakMap<Request, BarredLogin>();

/** The user of a request whose secret was right and whose login was refused all the same. */
export function barredLoginOf(req: Request): BarredLogin | undefined {
  return barredLogins.get(req);
}

function noteFailure({ locksOut }: { locksOut: boolean }, req: Request, log: Logger, cause?: string): void {
  const address = addressOf(req);
  log.info('a login failed', { requestId: req.id, address, ...(cause !== undefined && { cause }) });
  if (locksOut) log.warn('an address is locked out after too many failed logins', { address });
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
    case 'wrong':
      noteFailure(outcome, req, log);
      return loginFailed();
    case 'barred': {
      const { user, tokenId, why } = outcome;
      noteFailure(outcome, req, log, why);
      barredLogins.set(req, { user, ...(tokenId !== undefined && { tokenId }) });
      return new AppError('unauthorized', why);
    }
  }
}

/** Returns the user who has logged in. @throws AppError `unauthorized`, `too-many-attempts`. */
export function principalFrom(outcome: LoginOutcome, req: Request, log: Logger): Principal {
  if (outcome.kind === 'known') return outcome.principal;
  throw refusalOf(outcome, req, log);
}
