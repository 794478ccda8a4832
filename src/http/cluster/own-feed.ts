/** The feed of this host, in the words in which the others tell theirs. */
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

export async function* followOwn(
  events: EventService,
  options: Parameters<EventService['follow']>[0],
): AsyncGenerator<HostNews, void, void> {
  for await (const news of events.follow(options)) yield told(news);
}
