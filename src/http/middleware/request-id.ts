import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

/** Uses the client's `X-Request-Id` if it is harmless in logs, or makes one, and sends it back. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.headers['x-request-id'];
  req.id = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  req.principal = undefined;
  res.setHeader('X-Request-Id', req.id);
  next();
};
