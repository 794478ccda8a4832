import type { Request } from 'express';
import * as z from 'zod';
import { jobStateMeta, jobStates } from '../../jobs/model/job.ts';
import type { JobLog } from '../../jobs/model/job-log.ts';
import { jobViewSchema } from '../../jobs/model/job-view.ts';
import { AppError, invalidField, systemCode } from '../../lib/app-error.ts';
import type { Job } from '../../restricted/job.ts';
import type { HttpContext } from '../context.ts';
import { noteStream } from '../middleware/observe-requests.ts';
import { followLogAsEvents, followLogAsText } from '../reply/log-follow.ts';
import { sendLogAsJson, sendLogAsText, type LogReply } from '../reply/log-range.ts';
import { streamTurns } from '../reply/stream.ts';
import { flagParameter, wholeNumberParameter } from '../request/query.ts';
import { jobParams } from './job.ts';
import { defineRoute, type Reply } from '../route.ts';

const querySchema = z
  .object({
    output: z
      .enum(['json', 'text'], { error: 'must be json or text' })
      .optional()
      .describe('In which form, whatever `Accept` says.'),
    offset: wholeNumberParameter(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('From which byte on; not with `tail`.'),
    tail: wholeNumberParameter(0, 1_000_000)
      .optional()
      .describe('The last so many lines; not with `offset`.'),
    follow: flagParameter()
      .default('false')
      .describe('The bytes as they come, until the job has ended; as text only.'),
    plain: flagParameter()
      .default('false')
      .describe(
        'Without the escape sequences of terminals (colours, titles). Offsets are those of the file all the same. Not with `Range`.',
      ),
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

const jsonSchema = z
  .object({
    log: z.string().describe('The output of the lab CLI.'),
    offset: z.int().describe('Where this begins, in bytes of the log.'),
    nextOffset: z.int().describe('Where this ends, in bytes of the log: the `offset` to go on from.'),
    complete: z.boolean().describe('Whether the log has its final length.'),
  })
  .meta({ id: 'JobLog', description: 'The log of a job, or a part of it.' });

const events = {
  state: jobViewSchema.describe('The job: at first, and in every other state.'),
  log: z
    .object({
      log: z.string().describe('The next piece; no character is ever cut.'),
      nextOffset: z.int().describe('Where it ends, in bytes of the log; the `id` of the event, too.'),
    })
    .meta({ id: 'JobLogEvent', description: 'The next output of the lab CLI.' }),
  end: z
    .object({
      state: z.enum(jobStates).meta(jobStateMeta),
      nextOffset: z.int().describe('How long the log is, in bytes.'),
    })
    .meta({
      id: 'JobEndEvent',
      description: 'The job has ended: nothing follows, and a reconnect gets 204.',
    }),
  'server-shutdown': z
    .object({ reason: z.string().describe('A sentence for a person.') })
    .meta({ id: 'ShutdownEvent', description: 'The service stops first: connect again.' }),
};

/** Where an interrupted event stream goes on: its last id is the offset after what it has. */
function resumeOffset(req: Request): { offset: number | undefined; hasSeenEnd: boolean } {
  const match = /^(\d{1,15})(:end)?$/.exec(req.get('Last-Event-ID') ?? '');
  return { offset: match ? Number(match[1]) : undefined, hasSeenEnd: match?.[2] !== undefined };
}

const acceptedType = (req: Request) => req.accepts(['application/json', 'text/plain', 'text/event-stream']);

function wantedFormat(req: Request, query: LogQuery): 'json' | 'text' | 'events' {
  if (query.output !== undefined) return query.output;
  const accepted = acceptedType(req);
  if (accepted === 'text/event-stream') return 'events';
  return accepted === 'text/plain' || query.follow === 'true' ? 'text' : 'json';
}

async function startOf(query: LogQuery, log: JobLog): Promise<number> {
  return query.tail === undefined ? (query.offset ?? 0) : log.tailOffset(query.tail);
}

interface LogInput {
  readonly job: Job;
  readonly query: LogQuery;
  readonly exchange: Pick<LogReply, 'req' | 'res'>;
  readonly context: HttpContext;
}

async function sendLog({ job, query, exchange, context }: LogInput): Promise<Reply> {
  const { req, res } = exchange;
  const { observer, shutdown } = context;
  const isPlain = query.plain === 'true';
  if (isPlain && req.get('Range') !== undefined)
    throw invalidField('plain', 'cannot be combined with Range: a range is of the bytes of the file');
  const format = wantedFormat(req, query);
  const resume = format === 'events' ? resumeOffset(req) : undefined;
  if (resume?.hasSeenEnd) {
    await job.assertStillThere();
    return { kind: 'empty' };
  }
  const isFollowed = format === 'events' || (format === 'text' && query.follow === 'true');
  // Hundreds may begin at once: they take turns, so that other requests do not wait for all of them.
  if (isFollowed) await streamTurns.next();
  const log = await job.openLog(isFollowed);
  const start = resume?.offset ?? (await startOf(query, log));
  const reply: LogReply = { req, res, log, start, isPlain };
  res.vary('Accept');
  if (isFollowed) noteStream(res, 'log', observer);
  if (format === 'events') await followLogAsEvents(reply, shutdown);
  else if (format === 'json') await sendLogAsJson(reply);
  else if (isFollowed) await followLogAsText(reply, shutdown);
  else await sendLogAsText(reply, query.offset !== undefined || query.tail !== undefined);
  return { kind: 'sent' };
}

/** Whether this may have come of a removal: the disk has no log any more, or the reply of it was cut off. */
function isFateOfRemoved(error: unknown): boolean {
  return error instanceof AppError || systemCode(error) !== undefined;
}

/** The error for a missing job; undefined if the job exists, or if that is unknown now. */
async function whyUnknown(job: Job): Promise<AppError | undefined> {
  return job.assertStillThere().then(
    () => undefined,
    (error: unknown) => (error instanceof AppError && error.code === 'job-not-found' ? error : undefined),
  );
}

export const getJobLog = defineRoute({
  method: 'get',
  path: '/jobs/:id/log',
  permission: 'read',
  about: 'job',
  isForOwnSite: (req) => req.query['follow'] === 'true' || acceptedType(req) === 'text/event-stream',
  tag: 'jobs',
  operationId: 'getJobLog',
  summary: 'The log of a job: a part of it, or all of it while it grows',
  description:
    'Append-only: what was read never changes and never shrinks. `Accept: text/plain` gets the bytes, `text/event-stream` events that resume exactly after `Last-Event-ID`, and anything else JSON. A client that does not read for ten minutes is cut off. When the job is removed, text breaks off and events stop without `end`.',
  params: jobParams,
  query: querySchema,
  headers: ['Range', 'Last-Event-ID'],
  replies: {
    200: {
      description: 'The log. As text and as events it may be followed until the job has ended.',
      content: { 'application/json': jsonSchema, 'text/plain': 'bytes', 'text/event-stream': { events } },
      headers: ['X-Log-Next-Offset', 'X-More-Data', 'Accept-Ranges', 'Cache-Control'],
    },
    204: { description: 'The client has seen the last event already.', content: {} },
    206: {
      description: 'The range of bytes that was asked for.',
      content: { 'text/plain': 'bytes' },
      headers: ['Content-Range', 'X-Log-Next-Offset', 'X-More-Data', 'Accept-Ranges', 'Cache-Control'],
    },
  },
  errors: ['job-not-found', 'log-not-found', 'range-not-satisfiable', 'storage-fault'],
  handler: async ({ job, query, req, res, context }) => {
    try {
      return await sendLog({ job, query, exchange: { req, res }, context });
    } catch (error) {
      // A bug is one whether or not its job is there.
      const unknown = isFateOfRemoved(error) ? await whyUnknown(job) : undefined;
      if (unknown === undefined) throw error;
      // Removed while it was read: events end here; a reply with a part of the log is cut off, as it is not whole.
      if (!res.writableEnded) throw unknown;
      return { kind: 'sent' };
    }
  },
});
