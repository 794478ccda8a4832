/** How long the SSH gateway waits for its clients, with times of a test. */
import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import net from 'node:net';
import type { Client } from 'ssh2';
import type { SshPatience } from '../../../src/ssh/limits.ts';
import { eventually } from '../../support/eventually.ts';
import { sshClient, sshExec } from '../../support/ssh-client.ts';
import { GatewayOfTest } from '../../support/ssh-gateway.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const dataDir = temporaryDirectory();
let service: GatewayOfTest;
afterEach(async () => service.gateway.close());

/** @returns its port */
async function listen(patience: Partial<SshPatience>): Promise<number> {
  service = new GatewayOfTest(dataDir, patience);
  return service.listen();
}

const login = { username: 'r1.demo', password: 'right' };
const works = async (client: Client) => (await sshExec(client, 'true')).code === 0;

test('a client has its time to log in, and is cut off then', async () => {
  // Long enough for the one that logs in, on a busy machine.
  const port = await listen({ loginMs: 3_000 });
  const known = await sshClient(port, login);
  const silent = net.connect({ host: '127.0.0.1', port }).resume();
  const shy = sshClient(port, { username: 'r1.demo', authHandler: () => void 'it goes on to think' });
  await Promise.all([once(silent, 'close'), expect(shy).rejects.toThrow()]);
  expect(service.ends).toEqual(['accepted', 'gave-up', 'gave-up']);
  // Its time would have been up before.
  expect(await works(known)).toBe(true);
  known.end();
});

test('a client that does not answer is cut off, and one that says nothing by itself is not', async () => {
  const port = await listen({ askMs: 100 });
  const quiet = await sshClient(port, login);
  const gone = await sshClient(port, login);
  const { _sock: socket } = gone as unknown as { readonly ['_sock']: net.Socket };
  socket.pause();
  await eventually('it is cut off', () => service.open === 1);
  expect(await works(quiet)).toBe(true);
  quiet.end();
  socket.destroy();
});
