/**
 * Passes terminal input to a program that may not read it. The package writes synchronously: a few KiB that the program
 * does not read would block the whole service.
 */
import type * as NodePty from '@lydell/node-pty';
import { writeSync } from 'node:fs';
import { systemCode } from '../../lib/app-error.ts';
import { after } from '../../lib/async/disposal.ts';

/** No event reports that the program has read: writes are retried, less and less often while it reads nothing. */
const [firstMs, longestMs] = [5, 100];

/** Fields of the package that its types omit. The descriptor does not block: the event loop reads it. */
interface OpenPty {
  readonly fd: number;
  readonly _socket: { readonly destroyed: boolean };
}

export class PtyInput {
  readonly #pty: OpenPty;
  /** In order. */
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #pauseMs = firstMs;
  #stopWaiting: (() => void) | undefined;

  constructor(pty: NodePty.IPty) {
    this.#pty = pty as unknown as OpenPty;
  }

  /** How many bytes were written that the program has not taken yet. */
  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /** Whether the terminal is there. Once it is closed, the number of its descriptor may be that of another file. */
  get isOpen(): boolean {
    const { _socket: socket } = this.#pty;
    return !socket.destroyed;
  }

  write(bytes: Buffer): void {
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
    if (this.#stopWaiting === undefined) this.#pass();
  }

  /** Drops the input that the program has not read yet. */
  stop(): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    [this.#unread, this.#unreadBytes] = [[], 0];
  }

  #pass(): void {
    const bytes = Buffer.concat(this.#unread);
    const taken = this.#take(bytes);
    [this.#unread, this.#unreadBytes] = [[bytes.subarray(taken)], bytes.length - taken];
    this.#pauseMs = taken > 0 ? firstMs : Math.min(2 * this.#pauseMs, longestMs);
    this.#stopWaiting = this.#unreadBytes > 0 ? after(this.#pauseMs, () => this.#pass()) : undefined;
  }

  /** How many of these bytes are done with. */
  #take(bytes: Buffer): number {
    if (!this.isOpen) return bytes.length;
    try {
      return writeSync(this.#pty.fd, bytes);
    } catch (error) {
      return systemCode(error) === 'EAGAIN' ? 0 : bytes.length;
    }
  }
}
