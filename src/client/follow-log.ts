/** The log of a job while it grows, over as many connections as it takes. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Job, JobState } from './api-types.ts';
import { asJob, parsedObject } from './expected.ts';
import type { Connection } from './connection.ts';
import { Retries, type Patience } from './persistently.ts';
import { ConnectionError, UnexpectedReply } from './service-error.ts';

type LossNamed = <T>(action: () => Promise<T>) => Promise<T>;

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

/** Much more than an event of lab-api ever is: a piece of a log has 64 KiB. */
const longestEvent = 8 * 1024 * 1024;

/** The events of a reply, as they come. @throws UnexpectedReply for one that does not end. */
async function* eventsOf(response: Response, lossNamed: LossNamed): AsyncGenerator<EventSourceMessage> {
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (event) => void arrived.push(event),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new UnexpectedReply('an event of the log has no end');
    },
    maxBufferSize: longestEvent,
  });
  const decoder = new TextDecoder();
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  try {
    for (;;) {
      const part = await lossNamed(async () => reader?.read());
      if (!part || part.done) return;
      parser.feed(decoder.decode(part.value, { stream: true }));
      yield* arrived.splice(0);
    }
  } finally {
    // Whoever has seen enough lets go of the connection.
    await reader?.cancel().catch(() => undefined);
  }
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

class LogFollower {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #options: FollowOptions;
  readonly #retries: Retries;
  #lastId: string | undefined;

  constructor(connection: Connection, id: string, options: FollowOptions) {
    this.#connection = connection;
    this.#path = `/jobs/${encodeURIComponent(id)}/log`;
    this.#options = options;
    this.#retries = new Retries(options);
  }

  async *follow(): AsyncGenerator<LogNews, void, void> {
    for (;;) {
      try {
        if (yield* this.#followOnce()) return;
        throw new ConnectionError('the log broke off before its end');
      } catch (error) {
        this.#options.signal?.throwIfAborted();
        await this.#retries.waitAfter(error);
      }
    }
  }

  /** News of one connection; whether the last of them was the end. */
  async *#followOnce(): AsyncGenerator<LogNews, boolean, void> {
    const { signal, plain, tail } = this.#options;
    const lastId = this.#lastId;
    const headers = { Accept: 'text/event-stream', ...(lastId !== undefined && { 'Last-Event-ID': lastId }) };
    const query = { plain, tail: lastId === undefined ? tail : undefined };
    const response = await this.#connection.send('GET', this.#path, { headers, query, signal });
    // 204: the last event had been seen.
    if (response.status === 204) return true;
    for await (const event of eventsOf(response, async (read) =>
      this.#connection.lossNamed(read, { signal }),
    )) {
      this.#retries.reset();
      this.#lastId = event.id ?? this.#lastId;
      const news = newsOf(event);
      if (news) yield news;
      if (news?.kind === 'end') return true;
    }
    return false;
  }
}

/**
 * What is new, until the job has ended; a connection that is lost is made again, and goes on where the last one ended.
 * @throws ServiceError (`job-not-found`), ConnectionError when the service stays away longer than `patienceMs`.
 */
export function followLog(
  connection: Connection,
  id: string,
  options: FollowOptions,
): AsyncGenerator<LogNews, void, void> {
  return new LogFollower(connection, id, options).follow();
}
