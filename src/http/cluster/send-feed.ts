import type { Request, Response } from 'express';
import type { EventFilter } from '../../events/model/event-filter.ts';
import type { HttpContext } from '../context.ts';
import { EventStream } from '../reply/event-stream.ts';
import { isHead, streamSignal } from '../reply/stream.ts';
import { FeedOfHosts } from './feed-of-hosts.ts';
import { askerOf } from './peers.ts';
import type { EventService, News } from '../../events/model/event-service.ts';
import type { HostNews } from './host-feed.ts';

function told(news: News): HostNews {
  switch (news.kind) {
    case 'reset':
    case 'snapshot':
    case 'ready':
      return news;
    case 'known-job':
      return { kind: 'current', event: 'job', data: { change: 'current', job: news.job } };
    case 'known-lab':
      return { kind: 'current', event: 'lab', data: { change: 'current', lab: news.lab } };
    case 'event': {
      const { id, change } = news.event;
      return { kind: 'event', event: change.event, id, data: change.data };
    }
    case 'progress':
      return { kind: 'event', event: 'job', id: undefined, data: { change: 'progress', ...news.progress } };
    case 'position':
      return { kind: 'ready', id: news.id, labsSeenAt: null };
  }
}

async function* followOwn(
  events: EventService,
  options: Parameters<EventService['follow']>[0],
): AsyncGenerator<HostNews, void, void> {
  for await (const news of events.follow(options)) yield told(news);
}

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
