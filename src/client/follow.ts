/** Follows the events of a service, and the log of a job while it grows. */
import type { EventSourceMessage } from 'eventsource-parser';
import { isMapping } from '../lib/mapping.ts';
import type { Job, JobEvent, JobState, LabEvent, ReadyEvent, ResetEvent, ServiceEvent } from './api-types.ts';
import type { Connection } from './connection.ts';
import { asJob, parsedObject, type JsonObject } from './expected.ts';
import type { Patience } from './persistently.ts';
import { resumingEvents } from './resuming-events.ts';
import { UnexpectedReply } from './service-error.ts';

/** First `snapshot`, how things are, and `ready`; then every change. After `reset`, it begins anew. */
export type FeedNews =
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'ready'; readonly data: ReadyEvent }
  | { readonly kind: 'reset'; readonly data: ResetEvent }
  | { readonly kind: 'job'; readonly data: JobEvent }
  | { readonly kind: 'lab'; readonly data: LabEvent }
  | { readonly kind: 'service'; readonly data: ServiceEvent };

const kinds: ReadonlySet<string | undefined> = new Set<FeedNews['kind']>([
  'snapshot',
  'ready',
  'reset',
  'job',
  'lab',
  'service',
]);

/** @throws UnexpectedReply when it is not what the event speaks of. */
function asNews(kind: string | undefined, data: JsonObject): FeedNews {
  if ((kind === 'job' || kind === 'lab') && !isMapping(data[kind]))
    throw new UnexpectedReply(`the event "${kind}" does not have the expected data`);
  return { kind, data } as unknown as FeedNews;
}

/** Yields news until the consumer stops. @throws as `resumingEvents` does. */
export async function* followEvents(
  connection: Connection,
  filter: Readonly<Record<string, string | readonly string[] | undefined>>,
  patience: Patience,
): AsyncGenerator<FeedNews, void, void> {
  for await (const { event, data } of resumingEvents(connection, {
    ...patience,
    path: '/events',
    query: () => filter,
  }))
    // A newer service may have more to say.
    if (kinds.has(event)) yield asNews(event, parsedObject(data));
}

export type LogNews =
  | { readonly kind: 'log'; readonly text: string; readonly nextOffset: number }
  | { readonly kind: 'state'; readonly job: Job }
  | { readonly kind: 'end'; readonly state: JobState };

export interface FollowOptions extends Patience {
  /** Only the last lines, and what comes after them. */
  readonly tail?: number | undefined;
  /** Without escape sequences. */
  readonly plain?: boolean | undefined;
}

function newsOf({ event, data }: EventSourceMessage): LogNews | undefined {
  // A newer service may have more to say.
  if (event !== 'log' && event !== 'state' && event !== 'end') return undefined;
  const value = parsedObject(data);
  if (event === 'state') return { kind: 'state', job: asJob(value) };
  const { log, nextOffset, state } = value;
  if (event === 'log' && typeof log === 'string' && typeof nextOffset === 'number')
    return { kind: 'log', text: log, nextOffset };
  if (event === 'end' && typeof state === 'string') return { kind: 'end', state: state as JobState };
  throw new UnexpectedReply(`the event "${event}" does not have the expected data`);
}

/** Yields new output until the job has ended. @throws as `resumingEvents` does. */
export async function* followLog(
  connection: Connection,
  id: string,
  { tail, plain, ...patience }: FollowOptions,
): AsyncGenerator<LogNews, void, void> {
  const events = resumingEvents(connection, {
    ...patience,
    path: `/jobs/${encodeURIComponent(id)}/log`,
    query: (lastId) => ({ plain, tail: lastId === undefined ? tail : undefined }),
  });
  for await (const event of events) {
    const news = newsOf(event);
    if (news) yield news;
    if (news?.kind === 'end') return;
  }
}
