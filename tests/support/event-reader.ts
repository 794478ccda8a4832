import type { IncomingMessage } from 'node:http';

interface ReceivedEvent {
  readonly event: string;
  readonly id: string | undefined;
  // eslint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

function parse(block: string): ReceivedEvent | undefined {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  const event = field('event');
  return event === undefined
    ? undefined
    : { event, id: field('id'), data: JSON.parse(field('data') ?? 'null') };
}

/** Reads server-sent events one by one. */
export class EventReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #message: IncomingMessage;
  #text = '';

  constructor(message: IncomingMessage) {
    this.#message = message;
    this.#chunks = (message as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** The next event; undefined when the stream has ended. */
  async next(): Promise<ReceivedEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const event = parse(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 2);
        if (event) return event;
        continue;
      }
      const { value, done } = await this.#chunks.next();
      if (done) return undefined;
      this.#text += value.toString('utf8');
    }
  }

  /** All events up to and including the first with this name. */
  async until(name: string): Promise<ReceivedEvent[]> {
    const events: ReceivedEvent[] = [];
    for (;;) {
      const event = await this.next();
      if (event === undefined)
        throw new Error(`the stream ended before "${name}": ${JSON.stringify(events)}`);
      events.push(event);
      if (event.event === name) return events;
    }
  }

  close(): void {
    this.#message.destroy();
  }
}

/** The text of all `log` events. */
export function logOf(events: readonly ReceivedEvent[]): string {
  return events
    .filter(({ event }) => event === 'log')
    .map(({ data }) => String(data.log))
    .join('');
}
