/** A server that answers as a test says, and notes what it was asked. */
import { afterEach } from '@jest/globals';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (res: ServerResponse, asked: Asked) => void;

interface Scripted {
  readonly url: string;
  /** Every request so far. */
  readonly asked: readonly Asked[];
}

/** The fields without which a reply is no job. */
export const jobReply = {
  id: 'job-1-aaaaaa',
  action: 'up',
  state: 'running',
  createdAt: '2026-01-02T03:04:05.000Z',
  workdir: '/labs',
  error: null,
  warnings: [],
};

/** All that comes, until there is no more. */
export async function collect<T>(news: AsyncGenerator<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const one of news) seen.push(one);
  return seen;
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return (res) =>
    void res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Server-sent events, and the end of the reply. */
export function events(...list: readonly string[]): Answer {
  return (res) =>
    void res
      .writeHead(200, { 'Content-Type': 'text/event-stream' })
      .end(list.map((event) => `${event}\n\n`).join(''));
}

/** Call once in a test file: it stops the servers after each test. They give one answer after the other, and the last one again and again. */
export function scriptedServers(): (...answers: readonly Answer[]) => Promise<Scripted> {
  const servers: http.Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  return async (...answers) => {
    const asked: Asked[] = [];
    const server = http.createServer((req, res) => {
      void text(req).then((body) => {
        const request = { method: req.method ?? '', target: req.url ?? '', headers: req.headers, body };
        const answer = answers[Math.min(asked.push(request), answers.length) - 1];
        answer?.(res, request);
      });
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
  };
}
