import type { Request, Response } from 'express';
import type { EventFilter } from '../../events/model/event-filter.ts';
import type { HttpContext } from '../context.ts';
import { EventStream } from '../reply/event-stream.ts';
import { isHead, streamSignal } from '../reply/stream.ts';
import { FeedOfHosts } from './feed-of-hosts.ts';
import { followOwn } from './own-feed.ts';
import { askerOf } from './peers.ts';

interface FeedRequest {
  readonly req: Request;
  readonly res: Response;
  readonly context: HttpContext;
  readonly cluster: NonNullable<HttpContext['cluster']>;
  readonly after: string | undefined;
  readonly filter: EventFilter;
}

/** The query for the other hosts: the same without the position. */
function queryOf(req: Request): URLSearchParams {
  const query = new URLSearchParams(req.originalUrl.replace(/^[^?]*/, ''));
  query.delete('after');
  return query;
}

/** Sends the events of all hosts until the client goes away or the service stops. */
export async function sendFeedOfHosts({
  req,
  res,
  context,
  cluster,
  after,
  filter,
}: FeedRequest): Promise<void> {
  const { events, shutdown, log } = context;
  const over = streamSignal(res, shutdown);
  const stream = new EventStream(res);
  if (isHead(req)) return stream.end();
  const feed = new FeedOfHosts({
    cluster,
    own: (from, signal) => followOwn(events, { after: from, filter, withProgress: true, signal }),
    query: queryOf(req),
    asker: askerOf(req.principal),
    log,
    signal: over,
  });
  for await (const event of feed.follow(after)) {
    await stream.send(event);
    if (res.destroyed) break;
  }
  stream.end();
}
