import type { RequestHandler } from 'express';
import type { LiveSettings } from '../../config/settings.ts';
import { pathForLogs } from '../request/path-for-logs.ts';
import { userOf } from '../request/user.ts';
import type { Logger } from '../../lib/logger.ts';
import { statusOf } from './observe-requests.ts';

/** One line per request when its reply has ended. Scrapes (GET) are `debug`: dashboards make thousands of them. */
export function accessLog(log: Logger, live: Pick<LiveSettings, 'logLevel'>): RequestHandler {
  return (req, res, next) => {
    const level = req.method === 'GET' || req.method === 'HEAD' ? 'debug' : 'info';
    // Winston would build the line before it checks the level: a tenth of the time of a small request.
    if (level === 'debug' && live.logLevel !== 'debug') return next();
    const startedMs = performance.now();
    res.once('close', () => {
      log[level]('request', {
        requestId: req.id,
        method: req.method,
        path: pathForLogs(req),
        // Express has the status 200 for a reply that was not begun: the client went away before.
        status: statusOf(res),
        durationMs: Math.round(performance.now() - startedMs),
        address: req.ip,
        user: userOf(req),
        ...(res.writableFinished ? {} : { aborted: true }),
      });
    });
    next();
  };
}
