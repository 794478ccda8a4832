import { afterAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import net from 'node:net';
import { checkPort } from '../../../src/doctor/port.ts';
import { ownDataDir } from '../../../src/jobs/store/data-dir-owner.ts';
import { subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const dataDir = temporaryDirectory();
const server = net.createServer().listen(0, '127.0.0.1');
afterAll(() => void server.close());

const check = async (bind: string, port: number) =>
  checkPort(subjectOf({ LAB_API_BIND: bind, LAB_API_PORT: String(port), LAB_API_DATA_DIR: dataDir }));

async function busyPort(): Promise<number> {
  if (!server.listening) await once(server, 'listening');
  return (server.address() as net.AddressInfo).port;
}

test('free', async () => {
  expect(await check('127.0.0.1', 0)).toEqual({ kind: 'ok', detail: '127.0.0.1 port 0 is free' });
});

test('busy: names the process, also when every address is asked for', async () => {
  const port = await busyPort();
  for (const bind of ['127.0.0.1', '0.0.0.0']) {
    expect(await check(bind, port)).toEqual({
      kind: 'failed',
      detail: expect.stringMatching(
        new RegExp(`^${bind} port ${port} is in use by another program: process ${process.pid} \\(.+\\)$`),
      ),
      remedy: 'stop it, or choose another --port',
    });
  }
});

test('busy with our own service, told by the owner of the data directory', async () => {
  const port = await busyPort();
  const giveUp = await ownDataDir(dataDir);
  expect(await check('127.0.0.1', port)).toEqual({
    kind: 'ok',
    detail: `127.0.0.1 port ${port} is in use by our own service, process id ${process.pid}`,
  });
  await giveUp();
});

test('an address that this machine does not have, and a name that nobody knows', async () => {
  expect(await check('192.0.2.1', 0)).toMatchObject({
    kind: 'failed',
    detail: 'this machine has no address 192.0.2.1',
  });
  expect(await check('no-such-host.invalid', 0)).toMatchObject({
    kind: 'failed',
    remedy: expect.any(String),
  });
});
