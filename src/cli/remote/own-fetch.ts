/** `fetch` that trusts other certificates than those of the system: of a file, of one key, or any. */
import { pinnedConnector } from '../../lib/net/pinned-connector.ts';

export interface Trust {
  /** PEM; undefined for the authorities of the system. */
  readonly ca: string | undefined;
  /** The key that the server must have. Without `ca`, nothing else is asked of its certificate. */
  readonly pin: string | undefined;
  readonly isInsecure: boolean;
}

export async function ownFetch({ ca, pin, isInsecure }: Trust): Promise<typeof fetch> {
  const undici = await import('undici');
  const isChecked = !isInsecure && (pin === undefined || ca !== undefined);
  const connect = undici.buildConnector({
    rejectUnauthorized: isChecked,
    ...(ca !== undefined && { ca }),
    // A connection that resumes a session has no certificate to look at.
    ...(pin !== undefined && { maxCachedSessions: 0 }),
  });
  const dispatcher = new undici.Agent({
    connect: pin === undefined ? connect : pinnedConnector(connect, pin),
  });
  // Both are the same standard; only their types come from two packages.
  const send = undici.fetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return async (input, init) => send(input, { ...init, dispatcher });
}
