import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventually } from './eventually.ts';

/** Speaks with a terminal over a WebSocket. */
export class TerminalClient {
  readonly socket: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  /** The text messages, parsed. */
  readonly said: unknown[] = [];
  #printed = '';

  constructor(url: string, path: string, headers: Readonly<Record<string, string>> = {}) {
    this.socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, {
      headers,
      perMessageDeflate: false,
    });
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#printed += data.toString('utf8');
      else this.said.push(JSON.parse(data.toString('utf8')));
    });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => resolve({ code, reason: reason.toString('utf8') }));
    });
  }

  get printed(): string {
    return this.#printed;
  }

  async opened(): Promise<this> {
    await once(this.socket, 'open');
    return this;
  }

  /** The reply in place of a WebSocket. */
  async refused(): Promise<{ readonly status: number; readonly json: Record<string, unknown> }> {
    const [, message] = (await once(this.socket, 'unexpected-response')) as [
      unknown,
      AsyncIterable<Buffer> & { statusCode: number },
    ];
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    const json = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
    return { status: message.statusCode, json };
  }

  type(text: string): void {
    this.socket.send(Buffer.from(text));
  }

  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(`the terminal prints ${pattern}`, () => pattern.exec(this.#printed) ?? undefined);
  }

  /** Goes away without a word. */
  drop(): void {
    this.socket.terminate();
  }
}
