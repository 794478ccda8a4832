/**
 * `webhooks.jsonl`: what is to be delivered, and after which event the next messages are made. One line says both, so that
 * a kill leaves neither a message twice nor a gap. A line is in the file before anything is sent because of it.
 */
import type { Logger } from '../../lib/logger.ts';
import { LineFile } from '../../lib/files/line-file.ts';
import { lineSchema, type DeliveryLine } from './delivery.ts';
import { DeliveryState } from './delivery-state.ts';

export class DeliveryFile {
  readonly state = new DeliveryState();
  readonly #file: LineFile;

  constructor(file: string, log: Logger) {
    this.#file = new LineFile({
      file,
      head: JSON.stringify({ file: 'lab-api webhooks', version: 1 }),
      content: () => this.state.lines(),
      size: () => this.state.size,
      losses: {
        unread: 'webhooks that were to be delivered are lost',
        unwritten: 'webhooks cannot be recorded; after a restart, some may be sent twice',
      },
      log,
    });
  }

  /** Never rejects: a file that cannot be read is reported, and knows nothing. */
  async load(): Promise<void> {
    await this.#file.load((value) => {
      const line = lineSchema.safeParse(value).data;
      if (line) this.state.apply(line);
    });
  }

  /** Notes something, in memory and on disk. Never rejects: what the disk refuses is written as soon as it can be. */
  async note(line: DeliveryLine): Promise<void> {
    this.state.apply(line);
    await this.#file.add(line);
  }

  /** Writes what the disk refused, for the last time. Never rejects. */
  async close(): Promise<void> {
    await this.#file.close();
  }
}
