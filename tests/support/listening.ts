import { afterEach } from '@jest/globals';
import { once } from 'node:events';
import type http from 'node:http';
import type https from 'node:https';
import type { AddressInfo } from 'node:net';

/** Gives what has a server listen at a free port of 127.0.0.1, which it returns, until the end of the test. Call once in a test file. */
export function listeners(): (server: http.Server | https.Server) => Promise<number> {
  const servers: (http.Server | https.Server)[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });
  return async (server) => {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
}
