/** Writes to a channel at the pace of its client. */
import type { Writable } from 'node:stream';
import type { ServerChannel } from 'ssh2';
import { Mutex } from '../lib/async/mutex.ts';
import type { Transport } from './transport.ts';

/** Fields of ssh2 that its types omit: what waits for the client's window. */
interface WaitingChunks {
  ['_chunk']?: unknown;
  ['_chunkcb']?: unknown;
  ['_chunkErr']?: unknown;
  ['_chunkcbErr']?: unknown;
}

export class ChannelWriter {
  readonly #channel: ServerChannel;
  readonly #transport: Transport;
  readonly #turn = new Mutex();
  #isClosed = false;
  #giveUp = (): void => undefined;

  constructor(channel: ServerChannel, transport: Transport) {
    this.#channel = channel;
    this.#transport = transport;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Nothing more is written: ssh2 never calls back for what comes after the end of a channel. */
  close(): void {
    this.#isClosed = true;
    this.#giveUp();
  }

  /**
   * Resolves when the client has room for more, or the channel is closed. One piece at a time: with both streams waiting for the
   * client, ssh2 1.17 goes on with one of them only; and it would send a piece that once waited again, unless it is taken away.
   */
  async write(bytes: Buffer, to: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    await this.#turn.run(async () =>
      this.#write(bytes, to === 'stdout' ? this.#channel : this.#channel.stderr),
    );
    await this.#transport.room();
  }

  /** Resolves when all of `source` was written, or the channel is closed. */
  async pour(source: AsyncIterable<Buffer>, to: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    try {
      for await (const chunk of source) {
        if (this.#isClosed) return;
        await this.write(chunk, to);
      }
    } catch {
      // Cut off: its end tells why.
    }
  }

  async #write(bytes: Buffer, sink: Writable): Promise<void> {
    if (this.#isClosed || !sink.writable || bytes.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#giveUp = resolve;
      sink.write(bytes, () => resolve());
    });
    const waiting = this.#channel as unknown as WaitingChunks;
    for (const name of ['_chunk', '_chunkcb', '_chunkErr', '_chunkcbErr'] as const) waiting[name] = undefined;
  }
}
