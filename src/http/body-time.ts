import type { Server } from 'node:http';
import { after } from '../lib/async/disposal.ts';
import { hasBody, isUpload } from './request/upload.ts';

/** Node's own default for a whole request (`requestTimeout`). */
const bodyTimeoutMs = 300_000;

/** The error that Node itself emits for a request that took too long. */
function timeoutError(): Error {
  return Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}

/**
 * Has a body come within five minutes, like the `requestTimeout` of Node, which cannot make an exception: uploads take as
 * long as they need, and are cut off when they come too slowly (request/upload.ts).
 */
export function limitBodyTime(server: Server): void {
  server.on('request', (req, res) => {
    if (!hasBody(req)) return;
    const stop = after(bodyTimeoutMs, () => {
      if (!req.complete && !isUpload(req)) server.emit('clientError', timeoutError(), req.socket);
    });
    res.once('close', stop);
  });
}
