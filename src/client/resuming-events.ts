/** Server-sent events of one path (WHATWG HTML, section 9.2), over as many connections as it takes. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Connection, RequestOptions } from './connection.ts';
import { Retries, type Patience } from './persistently.ts';
import { ConnectionError, UnexpectedReply } from './service-error.ts';

type LossNamed = <T>(action: () => Promise<T>) => Promise<T>;

/** Much more than an event of lab-api ever is: a piece of a log has 64 KiB. */
const longestEvent = 8 * 1024 * 1024;

/** The events of a reply, as they come. @throws UnexpectedReply for one that does not end. */
export async function* eventsOf(
  response: Response,
  lossNamed: LossNamed,
): AsyncGenerator<EventSourceMessage> {
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (event) => void arrived.push(event),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new UnexpectedReply('an event is too long');
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
    // The consumer has stopped: release the connection.
    await reader?.cancel().catch(() => undefined);
  }
}

interface EventSource extends Patience {
  readonly path: string;
  /** Of a request that goes on after the event `lastId`; undefined for the first one. */
  readonly query: (lastId: string | undefined) => RequestOptions['query'];
}

/**
 * Yields events until the service reports the end (204) or the consumer stops. Reconnects after a lost or closed connection, or
 * when the host of the events is away, and continues after the last event with an id.
 * @throws ServiceError when the service refuses, ConnectionError when it stays away longer than `patienceMs`.
 */
export async function* resumingEvents(
  connection: Connection,
  { path, query, ...patience }: EventSource,
): AsyncGenerator<EventSourceMessage, void, void> {
  const { signal } = patience;
  const retries = new Retries(patience, { waitsForHost: true });
  let lastId: string | undefined;
  for (;;) {
    try {
      const headers = {
        Accept: 'text/event-stream',
        ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
      };
      const response = await connection.send('GET', path, { headers, query: query(lastId) ?? {}, signal });
      patience.onAnswer?.();
      if (response.status === 204) return;
      for await (const event of eventsOf(response, async (read) => connection.lossNamed(read, { signal }))) {
        retries.reset();
        lastId = event.id ?? lastId;
        yield event;
      }
      throw new ConnectionError('the connection was lost while events were sent');
    } catch (error) {
      signal?.throwIfAborted();
      await retries.waitAfter(error);
    }
  }
}
