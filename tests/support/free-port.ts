import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';

/**
 * A port on loopback that was free a moment ago, for a program that needs to know its port. It lies below the range from which Linux takes
 * the ports of connections (ip(7), ip_local_port_range): a client that tries a closed port of that range again and again may
 * get the very port for its own end, connect to itself, and keep the port from the program.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = net.createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
