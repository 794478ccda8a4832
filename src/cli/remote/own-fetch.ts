/** `fetch` and WebSockets that trust other certificates than those of the system: of a file, of one key, or any. */
import type * as Undici from 'undici';
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

function agentFor(undici: typeof Undici, { ca, pin, isInsecure }: Trust, limits: Limits = {}): Undici.Agent {
  const isChecked = !isInsecure && (pin === undefined || ca !== undefined);
  const connect = undici.buildConnector({
    rejectUnauthorized: isChecked,
    ...(ca !== undefined && { ca }),
    // A connection that resumes a session has no certificate to look at.
    ...(pin !== undefined && { maxCachedSessions: 0 }),
  });
  return new undici.Agent({
    ...limits,
    connect: pin === undefined ? connect : pinnedConnector(connect, pin),
  });
}

export async function ownFetch(trust: Trust, limits: Limits): Promise<typeof fetch> {
  const undici = await import('undici');
  const dispatcher = agentFor(undici, trust, limits);
  // Both are the same standard; only their types come from two packages.
  const send = undici.fetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return async (input, init) => send(input, { ...init, dispatcher });
}

/** Not the global `WebSocket`, which Node 20 does not have. */
export async function openSocket(
  trust: Trust,
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<WebSocket> {
  const undici = await import('undici');
  const init = { headers: { ...headers }, dispatcher: agentFor(undici, trust) };
  return new undici.WebSocket(url, init) as unknown as WebSocket;
}
