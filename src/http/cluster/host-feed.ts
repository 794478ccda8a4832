/** The feed of another host, as that host tells it. */
import { createParser } from 'eventsource-parser';
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import type { Host } from '../../cluster/model/host.ts';
import type { Asker } from '../../cluster/model/message.ts';
import type { News } from '../../events/model/event-service.ts';
import { requestPeer } from './peers.ts';

/** The news of a host; `data` is passed on unchanged. */
export type HostNews =
  | { readonly kind: 'reset'; readonly reason: Extract<News, { kind: 'reset' }>['reason'] }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'current'; readonly event: string; readonly data: unknown }
  | { readonly kind: 'ready'; readonly id: string; readonly labsSeenAt: string | null }
  | {
      readonly kind: 'event';
      readonly event: string;
      readonly id: string | undefined;
      readonly data: unknown;
    };

interface HostFeedOptions {
  /** Of `GET /events`, without the place to go on from. */
  readonly query: URLSearchParams;
  readonly after: string | undefined;
  readonly asker: Asker;
  readonly signal: AbortSignal;
}

interface Data {
  readonly change?: string;
  readonly reason?: Extract<HostNews, { kind: 'reset' }>['reason'];
  readonly labsSeenAt?: string | null;
}

function newsOf(event: string, id: string | undefined, data: Data): HostNews | undefined {
  switch (event) {
    case 'reset':
      return { kind: 'reset', reason: data.reason ?? 'unknown-id' };
    case 'snapshot':
      return { kind: 'snapshot' };
    case 'ready':
      return { kind: 'ready', id: id ?? '', labsSeenAt: data.labsSeenAt ?? null };
    case 'job':
    case 'lab':
    case 'service':
      return data.change === 'current'
        ? { kind: 'current', event, data }
        : { kind: 'event', event, id, data };
    default:
      // A newer host has more to tell than this one knows of.
      return undefined;
  }
}

/** Ends when the host ends it. @throws AppError `host-unavailable`, or what the connection broke with. */
export async function* followHost(
  cluster: ClusterService,
  host: Host,
  { query, after, asker, signal }: HostFeedOptions,
): AsyncGenerator<HostNews, void, void> {
  const headers = { accept: 'text/event-stream', ...(after !== undefined && { 'last-event-id': after }) };
  const search = query.size > 0 ? `?${query.toString()}` : '';
  const request = { method: 'GET', path: `/events${search}`, asker, headers, signal };
  const { statusCode, body } = await requestPeer(cluster, host, request);
  if (statusCode !== 200) {
    await body.dump();
    return;
  }
  const arrived: HostNews[] = [];
  const parser = createParser({
    onEvent: ({ event, id, data }) => {
      const news = newsOf(event ?? '', id, JSON.parse(data) as Data);
      if (news) arrived.push(news);
    },
  });
  const decoder = new TextDecoder();
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(piece, { stream: true }));
    yield* arrived.splice(0);
  }
}
