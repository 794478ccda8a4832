import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * Several middleware as one, for those that answer every path: Express would match the path anew for each, and what they do
 * themselves costs less than that. What one of them throws goes where Express would take it; none may be asynchronous.
 */
export function compose(...handlers: readonly RequestHandler[]): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    let place = 0;
    const go: NextFunction = (error?: unknown) => {
      const handler = error === undefined ? handlers[place] : undefined;
      if (handler === undefined) return next(error);
      place += 1;
      try {
        void handler(req, res, go);
      } catch (thrown) {
        next(thrown);
      }
    };
    go();
  };
}
