/**
 * Makes TCP connections in the network of a node, and hands each, once it is made, to the service: its bytes do not pass through
 * here, and the kernel paces them. It ends when the service does.
 */
import { readlinkSync } from 'node:fs';
import net from 'node:net';
import type { Dial, Dialed } from './dialer.ts';

const connectMs = 20_000;

/** The network of the service: a node may share it, and then nothing is reached through the node. */
const [, , serviceNetwork] = process.argv;

const connecting = new Set<net.Socket>();

function answer(message: Dialed, socket?: net.Socket): void {
  process.send?.(message, socket, {}, () => undefined);
}

function dial({ id, host, port }: Dial): void {
  const socket = new net.Socket({ allowHalfOpen: true });
  connecting.add(socket);
  socket.once('close', () => connecting.delete(socket));
  // Its first bytes are for the service.
  socket.pause();
  socket.setTimeout(connectMs, () => socket.destroy(new Error('it did not answer in time')));
  const fail = ({ message }: Error): void => answer({ id, error: message });
  socket.once('error', fail);
  socket.connect({ host, port, autoSelectFamily: true }, () => {
    socket.off('error', fail);
    socket.on('error', () => undefined);
    socket.setTimeout(0);
    connecting.delete(socket);
    answer({ id }, socket);
  });
}

process.on('disconnect', () => {
  for (const socket of connecting) socket.destroy();
});
process.on('message', (message) => dial(message as Dial));
if (readlinkSync('/proc/self/ns/net') === serviceNetwork) {
  answer({ shared: true });
  process.disconnect();
} else answer({ ready: true });
