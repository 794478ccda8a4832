/** How long the SSH gateway waits for its clients, with times of a test. */
import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import type { Client } from 'ssh2';
import { anybody } from '../../src/access/model/principal.ts';
import { SshGateway } from '../../src/ssh/gateway.ts';
import {
  maxKeyOffers,
  maxLogins,
  maxUnanswered,
  usualPatience,
  windowBytes,
  type SshPatience,
} from '../../src/ssh/limits.ts';
import { eventually } from '../support/eventually.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { sshClient, sshExec } from '../support/ssh-client.ts';
import { repoRoot } from '../support/repo-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const dataDir = temporaryDirectory();
/** The ends of logins, in order. */
let ends: string[] = [];
let open = 0;
let gateway: SshGateway;
afterEach(async () => gateway.close());

/** A gateway that asks for the password `right`, and has no labs. @returns its port */
async function listen(patience: Partial<SshPatience>): Promise<number> {
  ends = [];
  const known = { kind: 'known', principal: { ...anybody, name: 'ann' } } as const;
  const deps = {
    logins: {
      isRequired: true,
      byPassword: () => known,
      byToken: (secret: string) =>
        secret === 'right' ? known : ({ kind: 'wrong', locksOut: false } as const),
      byKey: () => undefined,
    },
    partsOf: () => ({
      labs: {
        find: () => Promise.reject(new Error('there are no labs')),
        list: () => Promise.reject(new Error('there are no labs')),
      },
      shutdown: new AbortController().signal,
    }),
    countedAddress: () => 'here',
    audit: { note: () => undefined },
    live: { terminalIdleMs: 1_000 },
    dataDir,
    observer: {
      connectionOpened: () => {
        open += 1;
        return () => void (open -= 1);
      },
      loginEnded: (end: string) => void ends.push(end),
    },
    log: new MemoryLogger(),
  };
  gateway = new SshGateway(deps, { ...usualPatience, ...patience });
  await gateway.listen('127.0.0.1', 0);
  return gateway.port!;
}

const login = { username: 'r1.demo', password: 'right' };
/** The command is refused, since there are no labs: the connection works. */
const works = async (client: Client) => (await sshExec(client, 'true')).code === 255;

test('a client has its time to log in, and is cut off then', async () => {
  // Long enough for the one that logs in, on a busy machine.
  const port = await listen({ loginMs: 3_000 });
  const known = await sshClient(port, login);
  const silent = net.connect({ host: '127.0.0.1', port }).resume();
  const shy = sshClient(port, { username: 'r1.demo', authHandler: () => void 'it goes on to think' });
  await Promise.all([once(silent, 'close'), expect(shy).rejects.toThrow()]);
  expect(ends).toEqual(['accepted', 'gave-up', 'gave-up']);
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
  await eventually('it is cut off', () => open === 1);
  expect(await works(quiet)).toBe(true);
  quiet.end();
  socket.destroy();
});

test('docs/ssh.md has these limits', () => {
  const { loginMs, askMs } = usualPatience;
  const text = readFileSync(path.join(repoRoot, 'docs/ssh.md'), 'utf8');
  expect(text).toContain(`| ${loginMs / 1_000} s, ${maxLogins} passwords or tokens, ${maxKeyOffers} keys `);
  expect(text).toContain(`| cut off after ${((maxUnanswered + 1) * askMs) / 60_000} minutes `);
  expect(text).toContain(` ${windowBytes / 1024} KiB for a channel `);
});
