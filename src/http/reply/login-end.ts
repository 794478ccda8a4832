/** Ends replies when the login of their user ends. */
import type { Request, Response } from 'express';
import { anybody } from '../../access/model/principal.ts';
import { AppError } from '../../lib/app-error.ts';
import { after } from '../../lib/async/disposal.ts';
import { hasLoginEnded, loginEnded } from '../../restricted/login-ends.ts';

/** How long a stream may take to say that it ends. */
const graceMs = 2_000;

/**
 * Cuts the reply off soon after the login has ended: streams end by themselves before, but a download, or a client that
 * reads nothing, would go on. @throws AppError `unauthorized` when it has ended already.
 */
export function endWithLogin({ principal }: Pick<Request, 'principal'>, res: Response): void {
  if (principal === undefined || principal === anybody) return;
  const { revoked } = principal;
  if (revoked.aborted) throw loginEnded();
  const cutOff = (): void => void after(graceMs, () => void (res.writableFinished || res.destroy()));
  revoked.addEventListener('abort', cutOff);
  res.once('close', () => revoked.removeEventListener('abort', cutOff));
}

/** The error for a wait that ended because the login or the service ended. */
export function loginEndOr(error: unknown, shutdown: AbortSignal): unknown {
  const isOfEnd = error instanceof AppError && error.code === 'shutting-down';
  return isOfEnd && hasLoginEnded(shutdown) ? loginEnded() : error;
}

/** A sentence about why a stream ends now. */
export function whyEnded(shutdown: AbortSignal): string {
  return hasLoginEnded(shutdown) ? loginEnded().message : 'the service is shutting down';
}
