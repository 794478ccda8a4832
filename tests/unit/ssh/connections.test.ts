/** The logins of connections and their ends, with outcomes of the test; integration/ssh-logins has real users. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import net from 'node:net';
import type { Client } from 'ssh2';
import type { LoginOutcome } from '../../../src/access/model/logins.ts';
import { AppError } from '../../../src/lib/app-error.ts';
import { eventually } from '../../support/eventually.ts';
import { GatewayOfTest } from '../../support/ssh-gateway.ts';
import { openChannel, sshClient, sshClosed } from '../../support/ssh-client.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const dataDir = temporaryDirectory();
let service: GatewayOfTest;
let port: number;
let said: string[] = [];
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await service.gateway.close();
});

async function listen(): Promise<void> {
  service = new GatewayOfTest(dataDir);
  port = await service.listen();
  said = [];
}
const logIn = async (password = 'right') => {
  const debug = (line: string) => said.push(line);
  const client = await sshClient(port, { username: 'r1.demo', password, debug });
  clients.push(client);
  return client;
};
const goodbye = (words: string) => expect.stringContaining(`DISCONNECT (11, "${words}")`);

describe('a login', () => {
  test('is counted, and in the audit', async () => {
    await listen();
    await logIn();
    expect(service.ends).toEqual(['accepted']);
    expect(service.audit).toEqual([
      expect.objectContaining({
        event: 'request',
        operation: 'loginOverSsh',
        user: 'ann',
        address: expect.stringContaining('127.0.0.1'),
        status: 200,
        durationMs: expect.any(Number),
      }),
    ]);
    expect(service.log.entries).toEqual([]);
  });

  test.each<[LoginOutcome, string, string, object]>([
    [{ kind: 'wrong', locksOut: false }, 'wrong', 'unauthorized', {}],
    [{ kind: 'busy', waitMs: 1 }, 'busy', 'too-many-attempts', {}],
    [
      { kind: 'barred', why: 'the token has expired', user: 'sue', tokenId: '12', locksOut: false },
      'wrong',
      'unauthorized',
      { user: 'sue', tokenId: '12' },
    ],
    [
      { kind: 'barred', why: 'it is disabled', user: 'sue', locksOut: false },
      'wrong',
      'unauthorized',
      { user: 'sue' },
    ],
  ])('with the outcome %j is refused, counted, and in the audit', async (outcome, end, error, more) => {
    await listen();
    service.otherwise = () => outcome;
    await expect(logIn('other')).rejects.toThrow('authentication methods failed');
    expect(service.ends[0]).toBe(end);
    expect(service.audit[0]).toMatchObject({ operation: 'loginOverSsh', error, ...more });
    expect(service.audit[0]).not.toHaveProperty('role');
    const failed = service.log.entries.filter(({ message }) => message === 'a login failed');
    expect(failed.map(({ fields }) => fields['over'])).toEqual(outcome.kind === 'busy' ? [] : ['SSH']);
    expect(service.log.entries).toHaveLength(failed.length);
    expect(failed[0]?.fields['cause']).toBe(outcome.kind === 'barred' ? outcome.why : undefined);
  });

  test('that locks its address out is a warning, and the next one is cut off with the reason', async () => {
    await listen();
    service.otherwise = () => ({ kind: 'wrong', locksOut: true });
    await expect(logIn('other')).rejects.toThrow();
    expect(service.log.entries.map(({ level }) => level)).toEqual(['info', 'warn']);
    service.otherwise = () => ({ kind: 'locked', waitMs: 1 });
    await expect(logIn('other')).rejects.toThrow();
    expect(said).toContainEqual(goodbye('too many failed logins from this address; wait a minute'));
    expect(service.ends).toEqual(['wrong', 'gave-up', 'locked', 'gave-up']);
    expect(service.audit.at(-1)).toMatchObject({ error: 'too-many-attempts', status: 429 });
  });

  test('that cannot be judged is no login', async () => {
    await listen();
    service.otherwise = () => {
      throw new Error('the disk is gone');
    };
    await expect(logIn('other')).rejects.toThrow();
    expect(said).toContainEqual(goodbye('a fault of the service; its log has the details'));
    expect(service.log.entries).toMatchObject([
      {
        level: 'error',
        message: 'a login over SSH could not be judged',
        fields: { cause: 'the disk is gone' },
      },
    ]);
  });

  test('whose client has gone meanwhile is none', async () => {
    await listen();
    let judge: (outcome: LoginOutcome) => void = () => undefined;
    let isAsked = false;
    service.otherwise = async () =>
      new Promise((resolve) => {
        isAsked = true;
        judge = resolve;
      });
    const socket = net.connect({ host: '127.0.0.1', port });
    const login = sshClient(port, { username: 'r1.demo', password: 'ann:slow', sock: socket }).catch(
      () => undefined,
    );
    await eventually('it is judged', () => isAsked);
    socket.destroy();
    await login;
    await eventually('it is cut off', () => service.open === 0);
    judge({ kind: 'known', principal: service.principal });
    await logIn();
    expect(service.ends).toEqual(['gave-up', 'accepted']);
    expect(service.audit).toHaveLength(1);
  });
});

describe('a connection', () => {
  test.each([
    [new AppError('unauthorized', 'the login does not hold any more'), 'the login does not hold any more'],
    [undefined, 'the service stops'],
  ])('ends with its login or the service, and tells why: %s', async (reason, words) => {
    await listen();
    const client = await logIn();
    const closed = sshClosed(client);
    service.shutdown.abort(reason);
    await closed;
    expect(said).toContainEqual(goodbye(words));
    expect(service.ends).toEqual(['accepted']);
    await eventually('it is closed', () => service.open === 0);
  });

  test('does not begin after that', async () => {
    await listen();
    service.shutdown.abort();
    const client = await logIn();
    if (!said.some((line) => line.includes('DISCONNECT'))) await sshClosed(client);
    expect(said).toContainEqual(goodbye('the service stops'));
  });

  test('whose client keeps its half open is cut off soon', async () => {
    await listen();
    const client = await logIn();
    await openChannel(client, 'sleep 1000');
    const { _sock: socket } = client as unknown as { readonly ['_sock']: net.Socket };
    socket.removeAllListeners('end');
    socket.allowHalfOpen = true;
    await service.gateway.close();
    await eventually('it is cut off', () => service.open === 0);
    socket.destroy();
  });

  test('is counted as long as it is there, also one that says nothing', async () => {
    await listen();
    const socket = net.connect({ host: '127.0.0.1', port });
    await once(socket, 'data');
    expect(service.open).toBe(1);
    socket.destroy();
    await eventually('it is closed', () => service.open === 0);
    expect(service.ends).toEqual(['gave-up']);
  });
});
