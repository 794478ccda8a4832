import type { RequestHandler } from 'express';
import type { Socket } from 'node:net';
import { AppError } from '../../lib/app-error.ts';

/** Connections that end with the reply to a request that was refused here. */
const ending = new WeakSet<Socket>();

/** RFC 9112, section 3.2: a request of HTTP/1.1 without a `Host` header, or with several, is answered 400. */
export const oneHost: RequestHandler = (req, res, next) => {
  // Came in the same packet. Node would have it carried out, though its reply is never sent; it goes with the connection.
  if (ending.has(req.socket)) return;
  // Names and values in turns. Node's own `headersDistinct` would sort out every header for that.
  const hosts = req.rawHeaders.filter((word, at) => at % 2 === 0 && word.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && req.httpVersion === '1.0')) return next();
  // A proxy may have seen another request in these bytes: what follows on this connection is not trusted.
  ending.add(req.socket);
  res.set('Connection', 'close');
  throw new AppError('invalid-request', 'the request must have one Host header');
};
