/** Bodies of any length, which are read piece by piece: nothing of them is kept here. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../lib/app-error.ts';
import { deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';

/** The slowest upload: a client that sends one byte a second would hold its place for ever. */
const [stallMs, leastBytes] = [30_000, 32 * 1024];

/** How long a client that was answered before its end may go on sending, so that it gets to read the answer. */
const lingerMs = 2_000;

const uploads = new WeakSet<IncomingMessage>();

/** Whether the body is read by `withUpload`, which has limits of its own. */
export function isUpload(req: IncomingMessage): boolean {
  return uploads.has(req);
}

/** Whether there is a body, of whatever length. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The events that end the wait for the next piece. */
const wakers = ['readable', 'end', 'error', 'close'] as const;

class UploadBody implements AsyncIterable<Uint8Array> {
  readonly #req: IncomingMessage;
  readonly #until: AbortSignal;
  readonly #stopped = deferred<void>();
  #isStopped = false;

  constructor(req: IncomingMessage, until: AbortSignal) {
    this.#req = req;
    this.#until = until;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopped.resolve();
  }

  /** @throws AppError `request-timeout`, `shutting-down`, `invalid-request` when the client went away. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    const req = this.#req;
    let [waitedMs, bytes] = [0, 0];
    while (!this.#isStopped) {
      if (this.#until.aborted)
        throw new AppError('shutting-down', 'the service stops, and takes no more of it');
      const piece = req.read() as Buffer | null;
      if (piece !== null) {
        bytes += piece.length;
        if (bytes >= leastBytes) [waitedMs, bytes] = [0, 0];
        yield piece;
      } else if (req.readableEnded) return;
      else if (req.destroyed) throw new AppError('invalid-request', 'the body broke off before its end');
      else waitedMs += await this.#waitForMore(stallMs - waitedMs);
    }
  }

  /** Milliseconds that went by: what the disk needs for the pieces is not the client's time. */
  async #waitForMore(limitMs: number): Promise<number> {
    const req = this.#req;
    const startedMs = performance.now();
    const more = deferred<void>();
    const stopTimer = after(Math.max(0, limitMs), () =>
      more.reject(new AppError('request-timeout', 'the body comes too slowly: less than 32 KiB in 30 s')),
    );
    for (const event of wakers) req.on(event, more.resolve);
    const wake = (): void => more.resolve();
    this.#until.addEventListener('abort', wake);
    try {
      // The events before this line had no listener.
      if (!this.#until.aborted && !req.destroyed && req.readableLength === 0)
        await Promise.race([more.promise, this.#stopped.promise]);
    } finally {
      stopTimer();
      for (const event of wakers) req.off(event, more.resolve);
      this.#until.removeEventListener('abort', wake);
    }
    return performance.now() - startedMs;
  }
}

/** A request with a body. `until` aborts when the service stops or the login of the user ends. */
interface Upload {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly until: AbortSignal;
}

/**
 * Calls `use` with the body of a request. When that is done before the end of the body, the client gets the answer all the
 * same: what it still sends is thrown away for a moment, and then it is cut off.
 */
export async function withUpload<T>(
  { req, res, until }: Upload,
  use: (body: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  uploads.add(req);
  // A lost connection is reported where the next piece is read.
  req.on('error', () => undefined);
  const body = new UploadBody(req, until);
  try {
    return await use(body);
  } finally {
    body.stop();
    cutOff(req, res);
  }
}

/** Lets the client read the answer, discards the rest of its body for a moment, and then closes the connection. */
function cutOff(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return;
  // Not at once: the loop that reads the body has to let go of the stream first.
  setImmediate(() => req.resume());
  res.once('finish', () => after(lingerMs, () => void (req.complete || req.socket.destroy())));
}

/** Ends an upload that is refused before `withUpload` reads its body. */
export function refuseUpload({ req, res }: Pick<Upload, 'req' | 'res'>): void {
  if (uploads.has(req)) return;
  req.on('error', () => undefined);
  cutOff(req, res);
}
