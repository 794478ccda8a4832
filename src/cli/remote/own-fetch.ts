/** `fetch` that trusts other certificates than those of the system: of a file, of one key, or any. */
import { TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import { keyPin } from '../../lib/key-pin.ts';

export interface Trust {
  /** PEM; undefined for the authorities of the system. */
  readonly ca: string | undefined;
  /** The key that the server must have. Without `ca`, nothing else is asked of its certificate. */
  readonly pin: string | undefined;
  readonly isInsecure: boolean;
}

/** What src/client/why-lost.ts knows it by. */
class OtherKey extends Error {
  readonly code = 'ERR_TLS_OTHER_KEY';
}

/** Nothing is sent, no password above all, before the server has shown that it has the key. */
function pinned(connect: buildConnector.connector, pin: string): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
      if (certificate !== undefined && keyPin(certificate) === pin) return callback(null, socket);
      socket.destroy();
      return callback(new OtherKey('its key is another one'), null);
    });
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
  const dispatcher = new undici.Agent({ connect: pin === undefined ? connect : pinned(connect, pin) });
  // Both are the same standard; only their types come from two packages.
  const send = undici.fetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return async (input, init) => send(input, { ...init, dispatcher });
}
