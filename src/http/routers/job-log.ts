import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Router, type Request, type Response } from 'express';
import { z } from 'zod';
import { AppError, systemCode } from '../../lib/app-error.ts';
import type { Job } from '../../jobs/model/job.ts';
import { noSuchJob } from '../../jobs/job-service.ts';
import { viewJob } from '../../jobs/view/job-view.ts';
import { logExtent, logStream, tailOffset, type LogChunk, type LogExtent } from '../../jobs/log/log-file.ts';
import type { HttpContext } from '../context.ts';
import { requestedRange } from '../reply/byte-range.ts';
import { encodeEvent, EventStream } from '../reply/event-stream.ts';
import { parseQuery, wholeNumberParameter } from '../request/query.ts';
import { resource } from '../resource.ts';
import { cutOffWhenStalled, isHead, startStream, streamSignal, writePaced } from '../reply/stream.ts';

const querySchema = z
  .object({
    output: z.enum(['json', 'text'], { error: 'must be json or text' }).optional(),
    offset: wholeNumberParameter(0, Number.MAX_SAFE_INTEGER).optional(),
    tail: wholeNumberParameter(0, 1_000_000).optional(),
    follow: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
  })
  .refine((query) => query.offset === undefined || query.tail === undefined, {
    path: ['tail'],
    message: 'cannot be combined with offset',
  })
  .refine((query) => query.follow === 'false' || query.output !== 'json', {
    path: ['follow'],
    message: 'cannot be combined with output=json: follow as text, or ask for text/event-stream',
  });

type LogQuery = z.output<typeof querySchema>;

interface LogReply {
  readonly req: Request;
  readonly res: Response;
  readonly job: Job;
  readonly file: string;
  readonly start: number;
  readonly extent: LogExtent;
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
async function sendJson({ req, res, file, start, extent }: LogReply): Promise<void> {
  const { end, complete } = extent;
  res.status(200).type('application/json').set('Cache-Control', 'no-cache');
  if (isHead(req)) return void res.end();
  cutOffWhenStalled(res);
  const log = await logStream(file, start, end);
  res.write('{"log":"');
  await pipeline(log, toJsonString(), res, { end: false });
  res.end(`","offset":${start},"nextOffset":${Math.max(start, end)},"complete":${complete}}`);
}

async function sendText(
  { req, res, file, start, extent }: LogReply,
  hasExplicitStart: boolean,
): Promise<void> {
  const { end, complete } = extent;
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
  await pipeline(await logStream(file, from, to), res);
}

/** Raw bytes until the job ends. */
async function followText({ req, res, job, start }: LogReply, context: HttpContext): Promise<void> {
  const { followers, shutdown } = context;
  startStream(res, 'text/plain; charset=utf-8');
  if (isHead(req)) return void res.end();
  const signal = streamSignal(res, shutdown);
  for await (const news of followers.follow({ id: job.id, offset: start, signal })) {
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

/** `log` events whose id is the offset after them, `state` when it changes, `end` at last. */
async function followEvents({ req, res, job, start }: LogReply, context: HttpContext): Promise<void> {
  const { jobs, followers, shutdown } = context;
  const signal = streamSignal(res, shutdown);
  const events = new EventStream(res);
  if (isHead(req)) return events.end();
  let nextOffset = start;
  let { state } = job;
  try {
    for await (const news of followers.follow({ id: job.id, offset: start, signal })) {
      if (news.kind === 'log') {
        ({ nextOffset } = news.chunk);
        await events.sendEncoded(logEvent(news.chunk));
      } else {
        ({ state } = news.job);
        await events.send({ event: 'state', data: await viewJob(news.job, jobs) });
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

/** What comes of reading a log that is removed meanwhile; with a reply that was cut off, from the stream too. */
function isFateOfRemoved(error: unknown): boolean {
  return error instanceof AppError || systemCode(error) !== undefined;
}

function isGone(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'job-not-found' || error.code === 'log-not-found');
}

/** Where an interrupted event stream goes on: its last id is the offset after what it has. */
function resumeOffset(req: Request): { offset: number | undefined; hasSeenEnd: boolean } {
  const match = /^(\d{1,15})(:end)?$/.exec(req.get('Last-Event-ID') ?? '');
  return { offset: match ? Number(match[1]) : undefined, hasSeenEnd: match?.[2] !== undefined };
}

function wantedFormat(req: Request, query: LogQuery): 'json' | 'text' | 'events' {
  if (query.output !== undefined) return query.output;
  const accepted = req.accepts(['application/json', 'text/plain', 'text/event-stream']);
  if (accepted === 'text/event-stream') return 'events';
  return accepted === 'text/plain' || query.follow === 'true' ? 'text' : 'json';
}

async function startOf(query: LogQuery, file: string, end: number): Promise<number> {
  if (query.tail !== undefined) return tailOffset(file, end, query.tail);
  return query.offset ?? 0;
}

async function sendLog(req: Request, res: Response, context: HttpContext): Promise<void> {
  const { jobs } = context;
  const query = parseQuery(querySchema, req);
  const format = wantedFormat(req, query);
  const job = await jobs.get(String(req.params['id']));
  const { log: file } = jobs.store.paths(job.id);
  const resume = format === 'events' ? resumeOffset(req) : undefined;
  if (resume?.hasSeenEnd) return void res.status(204).end();
  const extent = await logExtent(job, file, () => jobs.store.frozenLogSize(job.id));
  const start = resume?.offset ?? (await startOf(query, file, extent.end));
  const reply: LogReply = { req, res, job, file, start, extent };
  res.vary('Accept');
  if (format === 'events') return followEvents(reply, context);
  if (format === 'json') return sendJson(reply);
  if (query.follow === 'true') return followText(reply, context);
  return sendText(reply, query.offset !== undefined || query.tail !== undefined);
}

export function jobLogRouter(context: HttpContext): Router {
  const router = Router();
  resource(router, '/jobs/:id/log', {
    get: async (req, res) => {
      const id = String(req.params['id']);
      try {
        await sendLog(req, res, context);
      } catch (error) {
        // A bug is one whether or not its job is there.
        if (context.jobs.store.summary(id) || !isFateOfRemoved(error)) throw error;
        // Removed while it was read: events end here; a reply with a part of the log is cut off, as it is not whole.
        if (!res.writableEnded) throw noSuchJob(id);
      }
    },
  });
  return router;
}
