/**
 * What is typed at a terminal, on its way to a program that may not read it. The package writes so that it waits for that program,
 * and all of this service with it: a few KiB are enough.
 */
import type * as NodePty from '@lydell/node-pty';
import { writeSync } from 'node:fs';
import { systemCode } from '../../lib/app-error.ts';
import { after } from '../../lib/disposal.ts';

/** Nobody tells when the program has read. */
const retryMs = 5;

/** What the package has beside what it tells of. Its descriptor does not block: it is read by the event loop. */
interface OpenPty {
  readonly fd: number;
  readonly _socket: { readonly destroyed: boolean };
}

export class PtyInput {
  readonly #pty: OpenPty;
  #unread = Buffer.alloc(0);
  #stopWaiting: (() => void) | undefined;

  constructor(pty: NodePty.IPty) {
    this.#pty = pty as unknown as OpenPty;
  }

  /** How many bytes were written that the program has not taken yet. */
  get unreadBytes(): number {
    return this.#unread.length;
  }

  write(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    if (this.#stopWaiting === undefined) this.#pass();
  }

  /** What the program has not taken yet, it does not get. */
  stop(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    this.#unread = Buffer.alloc(0);
  }

  #pass(): void {
    this.#unread = this.#unread.subarray(this.#take(this.#unread));
    this.#stopWaiting = this.#unread.length > 0 ? after(retryMs, () => this.#pass()) : undefined;
  }

  /** How many of these bytes are done with. */
  #take(bytes: Buffer): number {
    const { fd, _socket: socket } = this.#pty;
    // Once it is closed, its number may be that of another file.
    if (socket.destroyed) return bytes.length;
    try {
      return writeSync(fd, bytes);
    } catch (error) {
      return systemCode(error) === 'EAGAIN' ? 0 : bytes.length;
    }
  }
}
