/** A receiver of webhooks: a real server that notes what it gets, and answers as the test says. */
import { afterAll } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { eventually } from './eventually.ts';

/** Of 32 bytes. */
export const webhookSecret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;

export interface Message {
  readonly id: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  /** How it was answered; undefined for not at all. */
  readonly status: number | undefined;
}

const receivers: WebhookReceiver[] = [];
afterAll(() => {
  for (const receiver of receivers) receiver.close();
});

export class WebhookReceiver {
  readonly messages: Message[] = [];
  /** Undefined: it does not answer. */
  answer: (message: Omit<Message, 'status'>) => number | undefined = () => 204;
  readonly url: string;
  readonly #server: http.Server;

  private constructor(server: http.Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (req, res) => void this.#take(req, res));
  }

  /** On a free port. It is closed after the test file. */
  static async make(): Promise<WebhookReceiver> {
    const server = http.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new WebhookReceiver(server);
    receivers.push(receiver);
    return receiver;
  }

  async #take(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const body = await text(req);
    const message = {
      id: String(req.headers['webhook-id']),
      path: req.url ?? '',
      headers: req.headers,
      text: body,
      body: JSON.parse(body) as unknown,
    };
    const status = this.answer(message);
    this.messages.push({ ...message, status });
    if (status === undefined) return;
    if (status === 307) res.setHeader('Location', `${this.url}/elsewhere`);
    res.writeHead(status).end('a body that nobody reads'.repeat(10_000));
  }

  /** The types of the messages that were taken, in order; of one path only, when one is given. */
  types(path?: string): string[] {
    return this.messages
      .filter((message) => message.status === 204 && (path === undefined || message.path === path))
      .map(({ body }) => String(body.type));
  }

  async got(count: number): Promise<readonly Message[]> {
    await eventually(`${count} messages`, () => this.messages.length >= count);
    return this.messages;
  }

  /** @throws Error when the message is not signed as Standard Webhooks wants it. */
  static verify({ text: body, headers }: Message, secret = webhookSecret): unknown {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
