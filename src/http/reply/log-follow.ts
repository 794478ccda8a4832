/** A log while it grows, until its job has ended. */
import type { LogChunk } from '../../jobs/model/job-log.ts';
import { AppError } from '../../lib/app-error.ts';
import { EscapeStripper } from '../../lib/text/escape-stripper.ts';
import { encodeEvent, EventStream } from './event-stream.ts';
import type { LogReply } from './log-range.ts';
import { whyEnded } from './login-end.ts';
import { isHead, startStream, streamSignal, writePaced } from './stream.ts';

/** Bytes until the job ends: all of them, or what is text. */
export async function followLogAsText(
  { req, res, log, start, isPlain }: LogReply,
  shutdown: AbortSignal,
): Promise<void> {
  startStream(res, 'text/plain; charset=utf-8');
  if (isHead(req)) return void res.end();
  const signal = streamSignal(res, shutdown);
  const stripper = new EscapeStripper();
  for await (const news of log.follow({ offset: start, signal })) {
    if (news.kind !== 'log') continue;
    const bytes = isPlain ? stripper.strip(news.chunk.bytes) : news.chunk.bytes;
    if (bytes.length > 0) await writePaced(res, bytes);
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
  const encoded = encodeChunk(chunk);
  logEvents.set(chunk, encoded);
  return encoded;
}

function encodeChunk({ bytes, nextOffset }: LogChunk): Buffer {
  const data = { log: bytes.toString('utf8'), nextOffset };
  return encodeEvent({ event: 'log', id: String(nextOffset), data });
}

/** An event with the text of the chunk. If the chunk cuts an escape sequence, its id lies before that sequence. */
function plainLogEvent({ bytes, nextOffset }: LogChunk, stripper: EscapeStripper): Buffer {
  const text = stripper.strip(bytes);
  return encodeChunk({ bytes: text, nextOffset: nextOffset - stripper.heldBytes });
}

function isGone(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'job-not-found' || error.code === 'log-not-found');
}

/** `log` events whose id is the offset after them, `state` when it changes, `end` at last. */
export async function followLogAsEvents(
  { req, res, log, start, isPlain }: LogReply,
  shutdown: AbortSignal,
): Promise<void> {
  const signal = streamSignal(res, shutdown);
  const events = new EventStream(res);
  if (isHead(req)) return events.end();
  let nextOffset = start;
  let { state } = log;
  const stripper = new EscapeStripper();
  try {
    for await (const news of log.follow({ offset: start, signal })) {
      if (news.kind === 'log') {
        ({ nextOffset } = news.chunk);
        await events.sendEncoded(isPlain ? plainLogEvent(news.chunk, stripper) : logEvent(news.chunk));
      } else {
        ({ state } = news.job);
        await events.send({ event: 'state', data: news.job });
      }
    }
    if (shutdown.aborted)
      await events.send({ event: 'server-shutdown', data: { reason: whyEnded(shutdown) } });
    else if (!signal.aborted)
      await events.send({ event: 'end', id: `${nextOffset}:end`, data: { state, nextOffset } });
  } catch (error) {
    // Removed meanwhile. Without `end` the client asks again, and the reply to that says so.
    if (!isGone(error)) throw error;
  } finally {
    events.end();
  }
}
