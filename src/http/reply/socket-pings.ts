import type { WebSocket } from 'ws';
import { every } from '../../lib/async/disposal.ts';

const pingMs = 30_000;

/**
 * Pings the client, and disconnects one that does not answer: it is gone without a word, or reads nothing at all. While nothing is
 * read from it, its answers are not read either. `stop` ends that.
 */
export function pingClient(socket: WebSocket): { readonly noteAlive: () => void; readonly stop: () => void } {
  let isAlive = true;
  const noteAlive = (): void => void (isAlive = true);
  socket.on('pong', noteAlive);
  const stop = every(pingMs, () => {
    if (!socket.isPaused && !isAlive) return socket.terminate();
    isAlive = socket.isPaused;
    socket.ping();
  });
  return { noteAlive, stop };
}
