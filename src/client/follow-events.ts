/** Follows the events of jobs and labs of a service. */
import { isMapping } from '../lib/mapping.ts';
import type { JobEvent, LabEvent, ReadyEvent, ResetEvent, ServiceEvent } from './api-types.ts';
import type { Connection } from './connection.ts';
import { parsedObject, type JsonObject } from './expected.ts';
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
    throw new UnexpectedReply(`the event "${kind}" does not tell what it should`);
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
