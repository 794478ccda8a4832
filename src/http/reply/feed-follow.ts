/** The feed of events as server-sent events. */
import type { Request, Response } from 'express';
import type { FeedEvent } from '../../events/model/event.ts';
import type { EventService, News } from '../../events/model/event-service.ts';
import { encodeEvent, EventStream } from './event-stream.ts';
import { isHead, streamSignal } from './stream.ts';

/** Between one and three seconds: hundreds of clients do not come back in the same instant after a restart. */
const retryMs = (): number => Math.round(1_000 + Math.random() * 2_000);

/** All clients get the same event, and with it the same bytes. */
const encodedEvents = new WeakMap<FeedEvent, Buffer>();

function encodeOnce(event: FeedEvent): Buffer {
  const known = encodedEvents.get(event);
  if (known) return known;
  const { id, change } = event;
  const encoded = encodeEvent({ event: change.event, id, data: change.data });
  encodedEvents.set(event, encoded);
  return encoded;
}

function encodeNews(news: News): Buffer {
  switch (news.kind) {
    case 'event':
      return encodeOnce(news.event);
    case 'reset':
      return encodeEvent({ event: 'reset', data: { reason: news.reason } });
    case 'snapshot':
      return encodeEvent({ event: 'snapshot', data: {} });
    case 'known-job':
      return encodeEvent({ event: 'job', data: { change: 'current', job: news.job } });
    case 'known-lab':
      return encodeEvent({ event: 'lab', data: { change: 'current', lab: news.lab } });
    case 'ready':
      return encodeEvent({ event: 'ready', id: news.id, data: { labsSeenAt: news.labsSeenAt } });
    case 'progress': {
      const { job, message, at } = news.progress;
      return encodeEvent({ event: 'job', data: { change: 'progress', at, message, job } });
    }
    case 'position':
      // An id without data is not an event, but the client resumes after it (WHATWG HTML, section 9.2.6).
      return Buffer.from(`id: ${news.id}\n\n`);
  }
}

interface FeedReply {
  readonly req: Request;
  readonly res: Response;
  readonly shutdown: AbortSignal;
}

/** Sends events until the client goes away or the service stops. */
export async function sendFeed(
  { req, res, shutdown }: FeedReply,
  events: EventService,
  wanted: Pick<Parameters<EventService['follow']>[0], 'after' | 'filter'>,
): Promise<void> {
  const signal = streamSignal(res, shutdown);
  const stream = new EventStream(res);
  if (isHead(req)) return stream.end();
  await stream.sendEncoded(Buffer.from(`retry: ${retryMs()}\n\n`));
  for await (const news of events.follow({ ...wanted, withProgress: true, signal })) {
    await stream.sendEncoded(encodeNews(news));
    // Not before: what was known when the service stopped is still sent.
    if (res.destroyed) break;
  }
  stream.end();
}
