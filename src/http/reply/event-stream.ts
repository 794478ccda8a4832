/** Server-sent events (WHATWG HTML, section 9.2). */
import type { Response } from 'express';
import { every } from '../../lib/async/disposal.ts';
import { startStream, writePaced } from './stream.ts';

const defaultHeartbeatMs = 15_000;

interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string;
}

/** An event as it goes over the wire. JSON has no raw line breaks, so the data is always one line. */
export function encodeEvent({ event, data, id }: ServerEvent): Buffer {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`);
}

/** A reply that sends events. A comment every 15 s keeps proxies from closing it. */
export class EventStream {
  readonly #res: Response;
  readonly #stopHeartbeat: () => void;

  constructor(res: Response, heartbeatMs = defaultHeartbeatMs) {
    this.#res = res;
    startStream(res, 'text/event-stream');
    this.#stopHeartbeat = every(heartbeatMs, () => {
      // A client that does not read has enough to read.
      if (!res.writableNeedDrain) void writePaced(res, ': heartbeat\n\n');
    });
    res.once('close', this.#stopHeartbeat);
  }

  /** Waits while the client is slow to read. */
  async send(event: ServerEvent): Promise<void> {
    await this.sendEncoded(encodeEvent(event));
  }

  /** For an event that many get: it is encoded once. */
  async sendEncoded(event: Buffer): Promise<void> {
    await writePaced(this.#res, event);
  }

  end(): void {
    this.#stopHeartbeat();
    this.#res.end();
  }
}
