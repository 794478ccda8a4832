/**
 * Merges the feeds of all hosts. The events of one host keep their order; events of different hosts have none. A host that
 * returns continues after its last event; a host that joins begins with its current state.
 */
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import type { Asker } from '../../cluster/model/message.ts';
import { deferred, type Deferred } from '../../lib/async/deferred.ts';
import { linkSignals } from '../../lib/async/linked-signal.ts';
import { after, every } from '../../lib/async/disposal.ts';
import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { followHost, type HostNews } from './host-feed.ts';

/** Where a client is in the feeds of several hosts: one id for all, for `Last-Event-ID`. */

const prefix = 'hosts:';

/** By the id of a host: the id of the last event of its feed. Neither has a comma or an equals sign. */
type Positions = ReadonlyMap<string, string>;

export function encodePositions(positions: Positions): string {
  return prefix + [...positions].map(([host, id]) => `${host}=${id}`).join(',');
}

/** Undefined for what is no such id: it may be one of a service that worked alone. */
export function decodePositions(text: string): Positions | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const pairs = text.slice(prefix.length).split(',');
  return new Map(
    pairs.flatMap((pair) => {
      const at = pair.indexOf('=');
      return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)] as const] : [];
    }),
  );
}

/** How often this looks for hosts that joined or returned. */
const lookMs = 1_000;
/** A host that has not sent its part of a snapshot by then is left out. */
const snapshotMs = 10_000;

/** An event for a client; without an id, it cannot be resumed after. */
export interface ClientEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** The feed of one host, from where it is gone on with. */
export type Follow = (after: string | undefined, signal: AbortSignal) => AsyncGenerator<HostNews, void, void>;

interface FeedOfHostsDeps {
  readonly cluster: ClusterService;
  /** The feed of this host. */
  readonly own: Follow;
  readonly query: URLSearchParams;
  readonly asker: Asker;
  readonly log: Logger;
  /** Ends the feed. */
  readonly signal: AbortSignal;
}

/** News of a host that waits to be taken. Reading from that host pauses until then. */
interface Told {
  readonly host: string;
  readonly news: HostNews | 'ended';
  readonly taken: () => void;
}

/** A snapshot in progress. */
interface Snapshot {
  /** The hosts whose part is not complete. */
  readonly waiting: Set<string>;
  readonly later: Told[];
  labsSeenAt: string | null;
}

/** The earlier of two times (RFC 3339, UTC); null stands for an unknown time. */
function oldest(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

export class FeedOfHosts {
  readonly #deps: FeedOfHostsDeps;
  readonly #told: Told[] = [];
  #positions = new Map<string, string>();
  /** The hosts that are followed, with what ends that. */
  #followed = new Map<string, AbortController>();
  #wake: Deferred<void> = deferred();

  constructor(deps: FeedOfHostsDeps) {
    this.#deps = deps;
  }

  async *follow(lastId: string | undefined): AsyncGenerator<ClientEvent, void, void> {
    const { signal } = this.#deps;
    const wake = (): void => this.#wake.resolve();
    const stopLooking = every(lookMs, wake);
    signal.addEventListener('abort', wake);
    try {
      const known = lastId === undefined ? undefined : decodePositions(lastId);
      if (lastId !== undefined && known === undefined)
        yield { event: 'reset', data: { reason: 'other-feed' } };
      if (known) this.#positions = new Map(known);
      else yield* this.#snapshot();
      while (!signal.aborted) {
        this.#followAll();
        const reset = yield* this.#tell();
        if (reset) {
          yield reset;
          yield* this.#snapshot();
        }
        await this.#untilTold();
      }
      yield* this.#tell();
    } finally {
      stopLooking();
      signal.removeEventListener('abort', wake);
      this.#endAll();
    }
  }

  /** How things are on all hosts, as far as they tell. */
  async *#snapshot(): AsyncGenerator<ClientEvent, void, void> {
    this.#endAll();
    this.#positions = new Map();
    yield { event: 'snapshot', data: {} };
    this.#followAll();
    const part: Snapshot = { waiting: new Set(this.#followed.keys()), later: [], labsSeenAt: null };
    const endsAt = performance.now() + snapshotMs;
    while (part.waiting.size > 0 && performance.now() < endsAt && !this.#deps.signal.aborted) {
      yield* this.#tellSnapshot(part);
      if (part.waiting.size > 0) await this.#untilTold();
    }
    const data = { labsSeenAt: part.labsSeenAt };
    yield { event: 'ready', id: encodePositions(this.#positions), data };
    this.#told.unshift(...part.later);
  }

  /** Yields the current state of the hosts, and keeps their other events until the snapshot is complete. */
  *#tellSnapshot(part: Snapshot): Generator<ClientEvent, void, void> {
    for (let told = this.#told.shift(); told; told = this.#told.shift()) {
      const { host, news, taken } = told;
      if (news !== 'ended' && news.kind === 'event') {
        part.later.push(told);
        continue;
      }
      taken();
      if (news === 'ended') this.#noteEnd(host);
      else if (news.kind === 'current') yield { event: news.event, data: this.#named(news.data, host) };
      else if (news.kind === 'ready') {
        this.#positions.set(host, news.id);
        part.labsSeenAt = oldest(part.labsSeenAt, news.labsSeenAt);
      }
      if (news === 'ended' || news.kind === 'ready') part.waiting.delete(host);
    }
  }

  /** Yields the news that hosts sent. Returns a `reset` event if a host cannot continue. */
  *#tell(): Generator<ClientEvent, ClientEvent | undefined, void> {
    for (let told = this.#told.shift(); told; told = this.#told.shift()) {
      const { host, news, taken } = told;
      taken();
      if (news === 'ended') {
        this.#noteEnd(host);
        continue;
      }
      switch (news.kind) {
        case 'reset':
          return { event: 'reset', data: { reason: news.reason } };
        case 'current':
          yield { event: news.event, data: this.#named(news.data, host) };
          break;
        case 'ready':
          this.#positions.set(host, news.id);
          break;
        case 'event':
          if (news.id !== undefined) this.#positions.set(host, news.id);
          yield {
            event: news.event,
            data: this.#named(news.data, host),
            ...(news.id !== undefined && { id: encodePositions(this.#positions) }),
          };
          break;
        case 'snapshot':
      }
    }
    return undefined;
  }

  /** With the host that it happened on. */
  #named(data: unknown, host: string): unknown {
    const name = this.#deps.cluster.hosts.find(({ id }) => id === host)?.name;
    return { ...(data as object), host: name };
  }

  async #untilTold(): Promise<void> {
    if (this.#told.length === 0 && !this.#deps.signal.aborted) await this.#wake.promise;
    this.#wake = deferred();
  }

  #followAll(): void {
    const { cluster, own, query, asker } = this.#deps;
    this.#followOne(cluster.id, own);
    for (const host of cluster.peers) {
      this.#followOne(host.id, (from, signal) =>
        followHost(cluster, host, { query, after: from, asker, signal }),
      );
    }
  }

  #followOne(host: string, follow: Follow): void {
    if (this.#followed.has(host) || this.#deps.signal.aborted) return;
    const controller = new AbortController();
    this.#followed.set(host, controller);
    void this.#pump(host, follow, controller);
  }

  async #pump(host: string, follow: Follow, controller: AbortController): Promise<void> {
    const { cluster, log, signal } = this.#deps;
    const over = linkSignals(controller.signal, signal, cluster.awaySignal(host));
    try {
      for await (const news of follow(this.#positions.get(host), over.signal)) {
        if (this.#followed.get(host) !== controller) return;
        await this.#offer(host, news);
      }
    } catch (error) {
      log.debug('the feed of a host has ended', { host, cause: messageOf(error) });
    } finally {
      over.unlink();
    }
    if (this.#followed.get(host) === controller) void this.#offer(host, 'ended');
  }

  async #offer(host: string, news: Told['news']): Promise<void> {
    const taken = deferred<void>();
    this.#told.push({ host, news, taken: () => taken.resolve() });
    this.#wake.resolve();
    await taken.promise;
  }

  /** It is followed again with the next look, a moment later. */
  #noteEnd(host: string): void {
    const ended = this.#followed.get(host);
    after(lookMs, () => {
      // All may have begun anew meanwhile.
      if (this.#followed.get(host) === ended) this.#followed.delete(host);
    });
  }

  #endAll(): void {
    for (const controller of this.#followed.values()) controller.abort();
    this.#followed = new Map();
    for (const { taken } of this.#told.splice(0)) taken();
  }
}
