import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';

/** Long enough for a stopped pager or a laptop that slept; but a client must not hold a socket for ever. */
const stallLimitMs = 600_000;

/** Aborted when the reply is over or its client is gone, or when the service shuts down: streams and waits end then. */
export function streamSignal(res: Response, shutdown: AbortSignal): AbortSignal {
  const over = new AbortController();
  const end = (): void => {
    // By hand: what `AbortSignal.any` ties to a signal that lives as long as the service is never quite let go.
    shutdown.removeEventListener('abort', end);
    over.abort();
  };
  if (shutdown.aborted || res.closed) over.abort();
  else {
    shutdown.addEventListener('abort', end);
    res.once('close', end);
  }
  return over.signal;
}

/**
 * Writes, and waits while the client is slow to read. Resolves too when the client goes away; one that has not read for
 * ten minutes is cut off.
 */
export async function writePaced(res: Response, data: string | Uint8Array): Promise<void> {
  // Ended: something that was still on its way when the stream was closed. Writing then would be an uncaught error.
  if (res.destroyed || res.writableEnded) return;
  if (res.write(data)) {
    // A socket takes megabytes without a pause, and the next chunk of a log is ready at once: without a turn of the event loop
    // in between, hundreds of followers would delay all other requests for seconds.
    await nextTurn();
    return;
  }
  const ready = deferred<void>();
  res.once('drain', ready.resolve);
  res.once('close', ready.resolve);
  const stopTimer = after(stallLimitMs, () => res.destroy());
  await ready.promise;
  stopTimer();
  res.off('drain', ready.resolve);
  res.off('close', ready.resolve);
}

/**
 * Cuts the reply off when the client has taken nothing of it for so long. For replies of known length, which never wait
 * for anything but their client; it covers the last bytes too, that are on their way after `end`.
 */
export function cutOffWhenStalled(res: Response, limitMs = stallLimitMs): void {
  res.setTimeout(limitMs, () => res.destroy());
}

/** Headers that keep proxies and compressors from holding a stream back. */
export function startStream(res: Response, contentType: string): void {
  res.status(200).set({
    'Content-Type': contentType,
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  res.on('error', () => undefined);
  res.flushHeaders();
}

export function isHead(req: Request): boolean {
  return req.method === 'HEAD';
}
