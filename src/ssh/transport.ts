/** The stream below a connection. ssh2 writes into it whether or not the client reads, so the pace is kept here. */
import type { Duplex } from 'node:stream';
import { deferred, type Deferred } from '../lib/async/deferred.ts';
import { maxUnsentBytes } from './limits.ts';

export class Transport {
  readonly #stream: Duplex;
  #drained: Deferred<void> | undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    const drain = (): void => {
      this.#drained?.resolve();
      this.#drained = undefined;
      if (!stream.destroyed) stream.resume();
    };
    stream.on('drain', drain);
    stream.once('close', drain);
  }

  /** To be called when ssh2 listens to the stream: its listener comes first. */
  watch(): void {
    const stream = this.#stream;
    stream.on('data', () => {
      if (stream.writableLength > maxUnsentBytes) stream.pause();
    });
  }

  /** Resolves when the client has read what was sent, or has gone. */
  async room(): Promise<void> {
    if (!this.#stream.writableNeedDrain || this.#stream.destroyed) return;
    this.#drained ??= deferred<void>();
    return this.#drained.promise;
  }
}
