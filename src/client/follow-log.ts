/** The log of a job while it grows. */
import type { EventSourceMessage } from 'eventsource-parser';
import type { Job, JobState } from './api-types.ts';
import { asJob, parsedObject } from './expected.ts';
import type { Connection } from './connection.ts';
import type { Patience } from './persistently.ts';
import { resumingEvents } from './resuming-events.ts';
import { UnexpectedReply } from './service-error.ts';

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
  throw new UnexpectedReply(`the event "${event}" does not tell what it should`);
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
