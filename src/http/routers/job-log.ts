import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Router, type Request, type Response } from 'express';
import { z } from 'zod';
import { AppError } from '../../lib/app-error.ts';
import { isTerminal, type Job } from '../../jobs/job.ts';
import { viewJob } from '../../jobs/job-view.ts';
import { logExtent, logStream, tailOffset, type LogExtent } from '../../jobs/log.ts';
import { noSuchJob } from '../../jobs/job-service.ts';
import { followLog } from '../../jobs/log-follow.ts';
import type { HttpContext } from '../context.ts';
import { requestedRange } from '../byte-range.ts';
import { EventStream } from '../event-stream.ts';
import { parseQuery, wholeNumberParameter } from '../query.ts';
import { resource } from '../resource.ts';
import { isHead, startStream, streamSignal, writePaced } from '../stream.ts';

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

/**
 * Escapes a stream of bytes as the inside of a JSON string, behind `opening`. That comes with the first bytes and not
 * before: a log that cannot be opened, because its job was removed just now, can still be answered with an error.
 */
function toJsonString(opening: string): Transform {
  let lead = opening;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const escape = (text: string): string => {
    const escaped = lead + JSON.stringify(text).slice(1, -1);
    lead = '';
    return escaped;
  };
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
  await pipeline(logStream(file, start, end), toJsonString('{"log":"'), res, { end: false });
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
  // Without `end: false`, a log that cannot be opened would cut the reply off before it has begun.
  await pipeline(logStream(file, from, to), res, { end: false });
  res.end();
}

/** Raw bytes until the job ends. */
async function followText({ req, res, job, start }: LogReply, context: HttpContext): Promise<void> {
  const { jobs, logGrowth, shutdown } = context;
  startStream(res, 'text/plain; charset=utf-8');
  if (isHead(req)) return void res.end();
  const signal = streamSignal(res, shutdown);
  for await (const chunk of followLog(jobs, logGrowth, { id: job.id, offset: start, signal })) {
    await writePaced(res, chunk.bytes);
  }
  // A proper end would say that the job has ended. A reply that breaks off tells the client that there is more.
  if (shutdown.aborted) res.destroy();
  else res.end();
}

/** `log` events whose id is the offset after them, `state` when it changes, `end` at last. */
async function followEvents({ req, res, job, start }: LogReply, context: HttpContext): Promise<void> {
  const { jobs, logGrowth, shutdown } = context;
  const signal = streamSignal(res, shutdown);
  const events = new EventStream(res);
  if (isHead(req)) return events.end();
  let state: Job['state'] | undefined;
  const sendState = async (current: Job): Promise<void> => {
    await events.send({ event: 'state', data: await viewJob(current, jobs) });
  };
  const onChange = (current: Job): void => {
    // The terminal state is sent after the last of the log.
    if (current.id !== job.id || current.state === state || isTerminal(current.state)) return;
    state = current.state;
    void sendState(current);
  };
  jobs.store.on('change', onChange);
  try {
    // Listening first, then looking: a change in between cannot be missed.
    const first = await jobs.get(job.id);
    state = first.state;
    await sendState(first);
    let offset = start;
    for await (const chunk of followLog(jobs, logGrowth, { id: job.id, offset, signal })) {
      offset = chunk.nextOffset;
      await events.send({
        event: 'log',
        id: String(offset),
        data: { log: chunk.bytes.toString('utf8'), nextOffset: offset },
      });
    }
    if (shutdown.aborted)
      await events.send({ event: 'server-shutdown', data: { reason: 'the service is shutting down' } });
    else if (!signal.aborted) {
      const ended = await jobs.get(job.id);
      if (ended.state !== first.state) await sendState(ended);
      await events.send({
        event: 'end',
        id: `${offset}:end`,
        data: { state: ended.state, nextOffset: offset },
      });
    }
  } finally {
    jobs.store.off('change', onChange);
    events.end();
  }
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
        if (context.jobs.store.summary(id)) throw error;
        // Removed while it was read: events end here; a reply with a part of the log is cut off, as it is not whole.
        if (!res.writableEnded) throw noSuchJob(id);
      }
    },
  });
  return router;
}
