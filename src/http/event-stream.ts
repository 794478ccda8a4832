/** Server-sent events (WHATWG HTML, section 9.2). */
import type { Response } from 'express';
import { every } from '../lib/disposal.ts';
import { startStream, writePaced } from './stream.ts';

const heartbeatMs = 15_000;

interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string;
}

/** A reply that sends events. A comment every 15 s keeps proxies from closing it. */
export class EventStream {
  readonly #res: Response;
  readonly #stopHeartbeat: () => void;

  constructor(res: Response) {
    this.#res = res;
    startStream(res, 'text/event-stream');
    this.#stopHeartbeat = every(heartbeatMs, () => {
      // A client that does not read has enough to read.
      if (!res.writableNeedDrain) void writePaced(res, ': heartbeat\n\n');
    });
    res.once('close', this.#stopHeartbeat);
  }

  /** JSON has no raw line breaks, so the data is always one line. */
  async send({ event, data, id }: ServerEvent): Promise<void> {
    const idLine = id === undefined ? '' : `id: ${id}\n`;
    await writePaced(this.#res, `event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    this.#stopHeartbeat();
    this.#res.end();
  }
}
