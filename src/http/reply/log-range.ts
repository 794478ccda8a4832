/** A log, or a part of it, as it is now. */
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { JobLog } from '../../jobs/model/job-log.ts';
import { AppError } from '../../lib/app-error.ts';
import { EscapeStripper, withoutSequences } from '../../lib/text/escape-stripper.ts';
import { requestedRange } from './byte-range.ts';
import { cutOffWhenStalled, isHead } from './stream.ts';

export interface LogReply {
  readonly req: Request;
  readonly res: Response;
  readonly log: JobLog;
  /** The offset from which on the log is sent. */
  readonly start: number;
  /** Whether escape sequences are left out. Offsets are those of the file all the same. */
  readonly isPlain: boolean;
}

/** Longer sequences than this are not waited for. */
const sequenceBytes = 4096;

/**
 * The current end of the log. A growing log in plain text ends before an incomplete escape sequence, so that the next request
 * gets the whole sequence and can strip it.
 */
async function endOf({ log, start, isPlain }: LogReply): Promise<number> {
  const { end, complete } = log.extent;
  if (!isPlain || complete || start >= end) return end;
  const stripper = new EscapeStripper();
  const last = await log.read(Math.max(start, end - sequenceBytes), end);
  for await (const piece of last as AsyncIterable<Buffer>) stripper.strip(piece);
  return end - stripper.heldBytes;
}

/** The bytes of the reply. */
async function bytesOf({ log, isPlain }: LogReply, from: number, to: number): Promise<AsyncIterable<Buffer>> {
  const bytes: AsyncIterable<Buffer> = await log.read(from, to);
  return isPlain ? withoutSequences(bytes) : bytes;
}

/** Escapes a stream of bytes as the inside of a JSON string. */
function toJsonString(): Transform {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const escape = (text: string): string => JSON.stringify(text).slice(1, -1);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) =>
      done(null, escape(decoder.decode(chunk, { stream: true }))),
    flush: (done) => done(null, escape(decoder.decode())),
  });
}

/** `log` comes first and streams: a log of a gigabyte never stands in memory. */
export async function sendLogAsJson(reply: LogReply): Promise<void> {
  const { req, res, log, start } = reply;
  const { complete } = log.extent;
  res.status(200).type('application/json').set('Cache-Control', 'no-cache');
  if (isHead(req)) return void res.end();
  cutOffWhenStalled(res);
  const end = await endOf(reply);
  const bytes = await bytesOf(reply, start, end);
  res.write('{"log":"');
  await pipeline(bytes, toJsonString(), res, { end: false });
  res.end(`","offset":${start},"nextOffset":${Math.max(start, end)},"complete":${complete}}`);
}

/** With an explicit start in the query, a `Range` header is not looked at. */
export async function sendLogAsText(reply: LogReply, hasExplicitStart: boolean): Promise<void> {
  const { req, res, log, start, isPlain } = reply;
  const { complete } = log.extent;
  const end = await endOf(reply);
  let [from, to] = [start, Math.max(start, end)];
  res.status(200).type('text/plain; charset=utf-8').set('Cache-Control', 'no-cache');
  res.set({ 'X-Log-Next-Offset': String(to), 'X-More-Data': String(!complete) });
  res.set('Accept-Ranges', isPlain ? 'none' : 'bytes');
  const range = hasExplicitStart || isPlain ? 'whole' : requestedRange(req, end);
  if (range === 'unsatisfiable') {
    res.set('Content-Range', `bytes */${end}`);
    throw new AppError('range-not-satisfiable', `the log has ${end} bytes`);
  }
  if (range !== 'whole') {
    [from, to] = [range.start, range.end + 1];
    res.status(206).set({
      'Content-Range': `bytes ${range.start}-${range.end}/${end}`,
      'X-Log-Next-Offset': String(to),
      'X-More-Data': String(to < end || !complete),
    });
  }
  // How much of a plain log is text is known at its end.
  if (!isPlain) res.set('Content-Length', String(to - from));
  if (isHead(req)) return void res.end();
  cutOffWhenStalled(res);
  await pipeline(await bytesOf(reply, from, to), res);
}
