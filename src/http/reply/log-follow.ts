/** A log while it grows, until its job has ended. */
import type { LogChunk } from '../../jobs/model/job-log.ts';
import { AppError } from '../../lib/app-error.ts';
import { encodeEvent, EventStream } from './event-stream.ts';
import type { LogReply } from './log-range.ts';
import { isHead, startStream, streamSignal, writePaced } from './stream.ts';

/** Raw bytes until the job ends. */
export async function followLogAsText(
  { req, res, log, start }: LogReply,
  shutdown: AbortSignal,
): Promise<void> {
  startStream(res, 'text/plain; charset=utf-8');
  if (isHead(req)) return void res.end();
  const signal = streamSignal(res, shutdown);
  for await (const news of log.follow({ offset: start, signal })) {
    if (news.kind === 'log') await writePaced(res, news.chunk.bytes);
  }
  // A proper end would say that the job has ended. A reply that breaks off tells the client that there is more.
  if (shutdown.aborted) res.destroy();
  else res.end();
}

/** Followers that are in step get the same chunk, and with it the same bytes. */
const logEvents = new WeakMap<LogChunk, Buffer>();

function logEvent(chunk: LogChunk): Buffer {
  const known = logEvents.get(chunk);
  if (known) return known;
  const { bytes, nextOffset } = chunk;
  const data = { log: bytes.toString('utf8'), nextOffset };
  const encoded = encodeEvent({ event: 'log', id: String(nextOffset), data });
  logEvents.set(chunk, encoded);
  return encoded;
}

function isGone(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'job-not-found' || error.code === 'log-not-found');
}

/** `log` events whose id is the offset after them, `state` when it changes, `end` at last. */
export async function followLogAsEvents(
  { req, res, log, start }: LogReply,
  shutdown: AbortSignal,
): Promise<void> {
  const signal = streamSignal(res, shutdown);
  const events = new EventStream(res);
  if (isHead(req)) return events.end();
  let nextOffset = start;
  let { state } = log;
  try {
    for await (const news of log.follow({ offset: start, signal })) {
      if (news.kind === 'log') {
        ({ nextOffset } = news.chunk);
        await events.sendEncoded(logEvent(news.chunk));
      } else {
        ({ state } = news.job);
        await events.send({ event: 'state', data: news.job });
      }
    }
    if (shutdown.aborted)
      await events.send({ event: 'server-shutdown', data: { reason: 'the service is shutting down' } });
    else if (!signal.aborted)
      await events.send({ event: 'end', id: `${nextOffset}:end`, data: { state, nextOffset } });
  } catch (error) {
    // Removed meanwhile. Without `end` the client asks again, and the reply to that says so.
    if (!isGone(error)) throw error;
  } finally {
    events.end();
  }
}
