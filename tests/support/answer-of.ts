import { once } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import express, { type Request, type Response } from 'express';

export interface Answer {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** Whether the reply came to its proper end. */
  readonly complete: boolean;
}

/** What `handle` answers to one request over a socket. */
export async function answerOf(
  handle: (req: Request, res: Response) => unknown,
  { method = 'GET', headers = {} }: Pick<http.RequestOptions, 'method' | 'headers'> = {},
): Promise<Answer> {
  const app = express().use((req, res) => void handle(req, res));
  const server = app.listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    const request = http.request({ host: '127.0.0.1', port, agent: false, method, headers }).end();
    const [reply] = (await once(request, 'response')) as [http.IncomingMessage];
    const chunks: Buffer[] = [];
    reply.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A reply that breaks off is an error of this stream, and an answer of a kind.
    await once(reply, 'end').catch(() => undefined);
    const { statusCode: status, complete } = reply;
    return { status, headers: reply.headers, text: Buffer.concat(chunks).toString('utf8'), complete };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
