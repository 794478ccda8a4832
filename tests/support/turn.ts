import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 200;

/** Waits until no other test file of this machine has the turn of this name; the result gives it back. */
export async function takeTurn(name: string): Promise<() => void> {
  for (;;) {
    // In the abstract namespace (unix(7)): it is free again as soon as its owner has ended, however that was.
    const server = net.createServer().listen(`\0lab-api-tests-${name}`);
    const isOurs = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isOurs) return () => void server.close();
    await delay(pollMs);
  }
}
