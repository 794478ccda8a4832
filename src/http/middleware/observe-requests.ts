import type { Request, RequestHandler, Response } from 'express';
import type { HttpObserver, StreamKind } from '../http-observer.ts';

const streams = new WeakSet<Response>();
const listeners = new WeakMap<Response, () => void>();

/** Calls `listener` when this reply becomes a stream. */
export function whenStream(res: Response, listener: () => void): void {
  listeners.set(res, listener);
}

/** Counts this reply as a stream until its end. For handlers whose reply lasts as long as the client likes. */
export function noteStream(res: Response, kind: StreamKind, { streamOpened }: HttpObserver): void {
  // The client is gone already: `close` would not come again, and the stream would be counted forever.
  if (res.closed) return;
  streams.add(res);
  listeners.get(res)?.();
  res.once('close', streamOpened(kind));
}

/** Undefined if the client went away before the reply. The head of a 101 is sent by the code that takes over the connection. */
export function statusOf(res: Response): number | undefined {
  return res.headersSent || res.statusCode === 101 ? res.statusCode : undefined;
}

/** Returns the pattern of the route that Express has found, never the path: a stranger could fill the memory with paths. */
function patternOf(req: Request): string | undefined {
  const { path } = (req.route ?? {}) as { readonly path?: unknown };
  return typeof path === 'string' ? path : undefined;
}

/** Reports each request when its reply has ended. It must be the first middleware, to count the refusals of the others too. */
export function observeRequests({ requestEnded }: HttpObserver): RequestHandler {
  return (req, res, next) => {
    const startedMs = performance.now();
    res.once('close', () =>
      requestEnded({
        method: req.method,
        route: patternOf(req),
        status: statusOf(res),
        durationMs: streams.has(res) ? undefined : performance.now() - startedMs,
      }),
    );
    next();
  };
}
