/** `fetch` and WebSockets that trust other certificates than those of the system: of a file, of one key, or any. */
import type net from 'node:net';
import type * as Undici from 'undici';
import type { WebSocket as Socket } from 'ws';
import { pinnedConnector } from '../../lib/net/pinned-connector.ts';

export interface Trust {
  /** PEM; undefined for the authorities of the system. */
  readonly ca: string | undefined;
  /** The key that the server must have. Without `ca`, nothing else is asked of its certificate. */
  readonly pin: string | undefined;
  readonly isInsecure: boolean;
}

export interface Limits {
  /** How long a reply may be silent before its end; without it, five minutes as in the global `fetch`. */
  readonly bodyTimeout?: number;
}

function connectorFor(
  undici: typeof Undici,
  { ca, pin, isInsecure }: Trust,
): Undici.buildConnector.connector {
  const isChecked = !isInsecure && (pin === undefined || ca !== undefined);
  const connect = undici.buildConnector({
    rejectUnauthorized: isChecked,
    ...(ca !== undefined && { ca }),
    // A connection that resumes a session has no certificate to look at.
    ...(pin !== undefined && { maxCachedSessions: 0 }),
  });
  return pin === undefined ? connect : pinnedConnector(connect, pin);
}

export async function ownFetch(trust: Trust, limits: Limits): Promise<typeof fetch> {
  const undici = await import('undici');
  const dispatcher = new undici.Agent({ ...limits, connect: connectorFor(undici, trust) });
  // Both are the same standard; only their types come from two packages.
  const send = undici.fetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return async (input, init) => send(input, { ...init, dispatcher });
}

type Connected = Parameters<Undici.buildConnector.connector>[1];

/** Of one message of a server. */
const maxMessageBytes = 4 * 1024 * 1024;

/** The package ws: Node 20 has no global `WebSocket`, and the one of undici goes on reading while its reader is busy. */
export async function openSocket(
  trust: Trust,
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<Socket> {
  const [undici, { WebSocket }] = await Promise.all([import('undici'), import('ws')]);
  const connect = connectorFor(undici, trust);
  const { hostname, host, port } = url;
  const protocol = url.protocol.replace('ws', 'http');
  // As `http.request` takes it: the connection comes later. The type of the package is that of `net.createConnection`.
  const createConnection = (_options: unknown, connected: Connected): void =>
    connect({ hostname, host, port, protocol }, connected);
  const socket = new WebSocket(url, {
    headers: { ...headers },
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    createConnection: createConnection as unknown as typeof net.createConnection,
  });
  // It closes then; the request that is sent in its place says why.
  socket.on('error', () => undefined);
  return socket;
}
