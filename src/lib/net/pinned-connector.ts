/** Connections to a server that is known by its key alone. */
import { TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';
import { keyPin } from './key-pin.ts';

/** src/client/connection.ts recognizes the error by this code. */
class OtherKey extends Error {
  readonly code = 'ERR_TLS_OTHER_KEY';
}

/** As undici has it. */
type Connect<Options> = (
  options: Options,
  callback: (...outcome: [error: null, socket: Socket | TLSSocket] | [error: Error, socket: null]) => void,
) => void;

/** Nothing is sent, no password above all, before the server has shown that it has the key. `connect` must resume no sessions: those have no certificate to look at. */
export function pinnedConnector<Options>(connect: Connect<Options>, pin: string): Connect<Options> {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
      if (certificate !== undefined && keyPin(certificate) === pin) return callback(null, socket);
      socket.destroy();
      return callback(new OtherKey('its key is another one'), null);
    });
}
