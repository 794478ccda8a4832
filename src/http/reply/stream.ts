import type { Request, Response } from 'express';
import { deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import { Turns } from '../../lib/async/turns.ts';

/** Long enough for a stopped pager or a laptop that slept; but a client must not hold a socket for ever. */
const stallLimitMs = 600_000;

/**
 * A socket takes megabytes without a pause, and the next chunk of a log is ready at once. Each chunk costs a tenth of a
 * millisecond: without turns, thousands of followers would delay all other requests for seconds.
 */
export const streamTurns = new Turns(16);

interface Ends {
  readonly all: Set<() => void>;
  readonly listener: () => void;
}

/** The streams that a signal ends. It has one listener for all of them: a signal compares each new listener with all others. */
const endsOf = new WeakMap<AbortSignal, Ends>();

function endsOn(shutdown: AbortSignal): Ends {
  const known = endsOf.get(shutdown);
  if (known !== undefined) return known;
  const all = new Set<() => void>();
  const made = { all, listener: (): void => all.forEach((end) => end()) };
  endsOf.set(shutdown, made);
  shutdown.addEventListener('abort', made.listener);
  return made;
}

/** Aborted when the reply is over or its client is gone, or when the service shuts down: streams and waits end then. */
export function streamSignal(res: Response, shutdown: AbortSignal): AbortSignal {
  const over = new AbortController();
  if (shutdown.aborted || res.closed) {
    over.abort();
    return over.signal;
  }
  const { all, listener } = endsOn(shutdown);
  const end = (): void => {
    all.delete(end);
    // By hand: what `AbortSignal.any` ties to a signal that lives as long as the service is never quite let go.
    if (all.size === 0 && endsOf.delete(shutdown)) shutdown.removeEventListener('abort', listener);
    over.abort();
  };
  all.add(end);
  res.once('close', end);
  return over.signal;
}

/**
 * Writes, and waits while the client is slow to read. Resolves too when the client goes away; one that has not read for
 * ten minutes is cut off.
 */
export async function writePaced(res: Response, data: string | Uint8Array): Promise<void> {
  // Ended: something that was still on its way when the stream was closed. Writing then would be an uncaught error.
  if (res.destroyed || res.writableEnded) return;
  if (res.write(data)) return streamTurns.next();
  const ready = deferred<void>();
  res.once('drain', ready.resolve);
  res.once('close', ready.resolve);
  const stopTimer = after(stallLimitMs, () => res.destroy());
  await ready.promise;
  stopTimer();
  res.off('drain', ready.resolve);
  res.off('close', ready.resolve);
  await streamTurns.next();
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
