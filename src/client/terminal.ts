/** A terminal in a node, over a WebSocket: bytes in binary messages, everything else as JSON in text messages. */
import type { Connection } from './connection.ts';
import { parsedObject } from './expected.ts';

export interface TerminalSize {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** The program at the terminal has ended, or the connection was closed, with a code of RFC 6455 or of lab-api. */
export type TerminalEnd =
  | { readonly kind: 'exit'; readonly exitCode: number | null; readonly signal: number | null }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string };

/** The service accepts 64 KiB. */
const maxMessageBytes = 32 * 1024;

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function endIn(text: string): TerminalEnd | undefined {
  try {
    const { type, exitCode, signal } = parsedObject(text);
    if (type !== 'exit') return undefined;
    return { kind: 'exit', exitCode: numberOrNull(exitCode), signal: numberOrNull(signal) };
  } catch {
    return undefined;
  }
}

export class Terminal {
  /** Never rejects. */
  readonly ended: Promise<TerminalEnd>;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket, onOutput: (bytes: Uint8Array) => void) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    this.ended = new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        if (data instanceof ArrayBuffer) return onOutput(new Uint8Array(data));
        const end = endIn(String(data));
        if (end !== undefined) resolve(end);
      });
      socket.addEventListener('close', ({ code, reason }) => resolve({ kind: 'closed', code, reason }));
    });
  }

  /** @throws as `Connection.webSocket`. */
  static async open(
    connection: Connection,
    path: string,
    size: TerminalSize,
    onOutput: (bytes: Uint8Array) => void,
  ): Promise<Terminal> {
    return connection.webSocket(path, { query: { ...size } }, (socket) => new Terminal(socket, onOutput));
  }

  write(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    for (let at = 0; at < bytes.length; at += maxMessageBytes)
      this.#socket.send(bytes.subarray(at, at + maxMessageBytes));
  }

  resize(size: Required<TerminalSize>): void {
    if (this.#socket.readyState === this.#socket.OPEN)
      this.#socket.send(JSON.stringify({ type: 'resize', ...size }));
  }

  /** Ends the program at the terminal, with all processes that were started there. */
  close(): void {
    this.#socket.close();
  }
}
