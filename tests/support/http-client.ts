import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { text } from 'node:stream/consumers';

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes go out as they are; anything else as JSON. */
  readonly body?: unknown;
  readonly tls?: https.RequestOptions;
  readonly signal?: AbortSignal;
  /** The address of this machine that it comes from: any of 127.0.0.0/8 will do. */
  readonly from?: string;
  /** Keeps connections open from one request to the next. */
  readonly agent?: http.Agent;
}

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body parsed; throws when it is not JSON. */
  // eslint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

function encode(body: unknown): string | Buffer | undefined {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}

/**
 * Sends a request and gives the reply as soon as its headers are there, for streams. Unlike `fetch` it sends any
 * method and any path just as they are, and has one connection per request, unless there is an agent.
 */
export async function open(
  base: string,
  path: string,
  options: RequestOptions = {},
): Promise<http.IncomingMessage> {
  const url = new URL(base);
  const body = encode(options.body);
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? https.request : http.request;
    const outgoing = send({
      ...options.tls,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: `${url.pathname.replace(/\/$/, '')}${path}`,
      method: options.method ?? 'GET',
      agent: options.agent ?? false,
      headers: {
        ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
        ...options.headers,
      },
      ...(options.signal && { signal: options.signal }),
      ...(options.from !== undefined && { localAddress: options.from }),
    });
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function bytesOf(message: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Sends a request and reads the whole reply. */
export async function request(base: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  const message = await open(base, path, options);
  const bytes = await bytesOf(message);
  const body = bytes.toString('utf8');
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    bytes,
    text: body,
    get json() {
      return JSON.parse(body) as unknown;
    },
  };
}

/** Sends bytes as they are on a connection of its own and gives all that comes back until it is closed. */
export async function sendRaw(base: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(base);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.end(bytes);
  return text(socket);
}
