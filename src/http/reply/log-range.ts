/** A log, or a part of it, as it is now. */
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { JobLog } from '../../jobs/model/job-log.ts';
import { AppError } from '../../lib/app-error.ts';
import { requestedRange } from './byte-range.ts';
import { cutOffWhenStalled, isHead } from './stream.ts';

export interface LogReply {
  readonly req: Request;
  readonly res: Response;
  readonly log: JobLog;
  /** The offset from which on the log is sent. */
  readonly start: number;
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
export async function sendLogAsJson({ req, res, log, start }: LogReply): Promise<void> {
  const { end, complete } = log.extent;
  res.status(200).type('application/json').set('Cache-Control', 'no-cache');
  if (isHead(req)) return void res.end();
  cutOffWhenStalled(res);
  const bytes = await log.read(start, end);
  res.write('{"log":"');
  await pipeline(bytes, toJsonString(), res, { end: false });
  res.end(`","offset":${start},"nextOffset":${Math.max(start, end)},"complete":${complete}}`);
}

/** With an explicit start in the query, a `Range` header is not looked at. */
export async function sendLogAsText(
  { req, res, log, start }: LogReply,
  hasExplicitStart: boolean,
): Promise<void> {
  const { end, complete } = log.extent;
  let [from, to] = [start, Math.max(start, end)];
  res.status(200).type('text/plain; charset=utf-8').set('Cache-Control', 'no-cache');
  res.set({ 'X-Log-Next-Offset': String(to), 'X-More-Data': String(!complete), 'Accept-Ranges': 'bytes' });
  const range = hasExplicitStart ? 'whole' : requestedRange(req, end);
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
  res.set('Content-Length', String(to - from));
  if (isHead(req)) return void res.end();
  cutOffWhenStalled(res);
  await pipeline(await log.read(from, to), res);
}
