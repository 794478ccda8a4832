import type { ErrorRequestHandler, RequestHandler } from 'express';
import { AppError, messageOf, systemCode } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { sendProblem, statusOfCode, toAppError } from '../reply/problem.ts';

export const notFound: RequestHandler = (req) => {
  throw new AppError('not-found', `there is nothing at ${req.path}`);
};

/** Every error ends here. Clients get the problem document, the log gets the cause. */
export function errors(log: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    // The client went away in the middle of its reply, or before it: nobody is left to tell, and nothing is wrong.
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
    } else if (statusOfCode[known.code] >= 500) {
      const cause = known.cause === undefined ? undefined : messageOf(known.cause);
      log.warn('a request failed', { requestId: req.id, code: known.code, detail: known.message, cause });
    }
    // In the middle of a stream the reply cannot be changed any more; cutting it off tells the client that it is not whole.
    if (res.headersSent) res.destroy();
    else sendProblem(known, req, res);
  };
}
