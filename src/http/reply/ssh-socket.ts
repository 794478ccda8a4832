/** A connection of SSH over a WebSocket: its bytes in binary messages. */
import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket } from 'ws';
import { after } from '../../lib/async/disposal.ts';
import { hasLoginEnded } from '../../restricted/login-ends.ts';
import { pingClient } from './socket-pings.ts';

/** RFC 6455, section 7.4.1; from 4000 on they are ours. */
const closeCodes = { stopping: 1001, loginEnded: 4001 } as const;

/** How long a client may take to close its end. */
const closeMs = 2_000;

/** Hands the connection to `accept`, until one side has ended it, or `shutdown` is aborted: the service stops, or the login ends. */
export function serveSsh(socket: WebSocket, accept: (stream: Duplex) => void, shutdown: AbortSignal): void {
  const stream = createWebSocketStream(socket);
  // A client that is gone, or a message that is too long; the library has closed with the code that says so.
  stream.on('error', () => undefined);
  const pings = pingClient(socket);
  socket.on('message', pings.noteAlive);
  const stop = (): void => {
    if (hasLoginEnded(shutdown)) socket.close(closeCodes.loginEnded, 'the login does not hold any more');
    else socket.close(closeCodes.stopping, 'the service stops');
    after(closeMs, () => socket.terminate());
  };
  shutdown.addEventListener('abort', stop);
  socket.once('close', () => {
    pings.stop();
    shutdown.removeEventListener('abort', stop);
    stream.destroy();
  });
  if (shutdown.aborted) stop();
  else accept(stream);
}
