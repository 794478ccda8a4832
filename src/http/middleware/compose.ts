import type { NextFunction, Request, RequestHandler, Response } from 'express';

/**
 * Joins middleware that handle every path: Express would match the path again for each of them, which costs more than their own
 * work. An error that one of them throws goes to `next`, as in Express. None may be asynchronous.
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
