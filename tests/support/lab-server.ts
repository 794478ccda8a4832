import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** In the abstract namespace (unix(7)): it is free again as soon as its owner has ended, however that was. */
const address = '\0lab-api-tests-lab-server';
const pollMs = 200;

/**
 * Waits until no other test file has a lab of containers on this machine: netlab's default instance, its network and the
 * names of its containers are there once. The result gives the machine back.
 */
export async function takeLabServer(): Promise<() => void> {
  for (;;) {
    const server = net.createServer().listen(address);
    const isOurs = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isOurs) return () => void server.close();
    await delay(pollMs);
  }
}
