import type { ErrorRequestHandler, RequestHandler } from 'express';
import { AppError, messageOf, systemCode } from '../../lib/app-error.ts';
import { errorSpec } from '../../lib/error-codes.ts';
import type { Logger } from '../../lib/logger.ts';
import { sendProblem, toAppError } from '../reply/problem.ts';

export const notFound: RequestHandler = (req) => {
  throw new AppError('not-found', `there is nothing at ${req.path}`);
};

/** Handles all errors. Clients get the problem document, and the log gets the cause. */
export function errors(log: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    // The client went away before or in the middle of its reply. This is no fault.
    if ((res.headersSent || res.destroyed) && systemCode(error) === 'ERR_STREAM_PREMATURE_CLOSE') return;
    const known = toAppError(error);
    if (known.code === 'internal') {
      const stack = error instanceof Error ? error.stack : messageOf(error);
      log.error('a request failed unexpectedly', {
        requestId: req.id,
        method: req.method,
        path: req.path,
        stack,
      });
    } else if (errorSpec(known.code).status >= 500) {
      const cause = known.cause === undefined ? undefined : messageOf(known.cause);
      log.warn('a request failed', { requestId: req.id, code: known.code, detail: known.message, cause });
    }
    // The head of a stream is sent already. A cut connection shows the client that the reply is incomplete.
    if (res.headersSent) res.destroy();
    else sendProblem(known, req, res);
  };
}
