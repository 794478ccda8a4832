import type { RequestHandler } from 'express';
import type { Logger } from '../../lib/logger.ts';

/** One line per request when its reply has ended. Scrapes (GET) are `debug`: dashboards make thousands of them. */
export function accessLog(log: Logger): RequestHandler {
  return (req, res, next) => {
    const startedMs = performance.now();
    res.once('close', () => {
      const level = req.method === 'GET' || req.method === 'HEAD' ? 'debug' : 'info';
      log[level]('request', {
        requestId: req.id,
        method: req.method,
        // Without the query: it may carry what a client considers private.
        path: req.originalUrl.split('?')[0],
        status: res.statusCode,
        durationMs: Math.round(performance.now() - startedMs),
        address: req.socket.remoteAddress,
        user: req.user,
        ...(res.writableFinished ? {} : { aborted: true }),
      });
    });
    next();
  };
}
