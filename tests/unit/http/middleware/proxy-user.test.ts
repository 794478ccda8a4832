import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import { Groups } from '../../../../src/access/model/groups.ts';
import type { User, Users } from '../../../../src/access/model/user.ts';
import { proxyUser } from '../../../../src/http/middleware/proxy-user.ts';
import { AppError } from '../../../../src/lib/app-error.ts';

const names = ['eva', 'José'];
const users: Users = {
  byName: (name) => (names.includes(name) ? ({ name } as User) : undefined),
  lockedByName: () => undefined,
  byTokenId: () => undefined,
  byKey: () => undefined,
  onChange: () => () => undefined,
  groups: new Groups(),
};

interface Seen {
  readonly user?: string | null;
  readonly address?: string;
  readonly code?: string;
  readonly message?: string;
}

/** A server that trusts 127.0.0.2 and 127.1.0.0/16 and tells what it makes of a request. */
const app = express();
app.set('trust proxy', ['127.0.0.2', '127.1.0.0/16']);
const nameOf = proxyUser({ userHeader: 'x-remote-user', users });
app.use((req, res) => {
  const look = (): Seen => {
    try {
      return { user: nameOf(req)?.name ?? null, ...(req.ip !== undefined && { address: req.ip }) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { code: error.code, message: error.message };
    }
  };
  res.json(look());
});
// Of both kinds, so that addresses come as ::ffff:127.0.0.2, too.
const servers = [http.createServer(app), http.createServer(app)] as const;

beforeAll(async () => {
  for (const [at, host] of ['127.0.0.1', '::'].entries()) {
    const server = servers[at] ?? servers[0];
    server.listen(0, host);
    await once(server, 'listening');
  }
});
afterAll(() => {
  for (const server of servers) server.close();
});

/** What the server makes of a request from this address with these headers, as they are. */
async function seen(
  localAddress: string,
  headers: readonly (readonly [string, string])[],
  server: http.Server = servers[0],
): Promise<Seen> {
  const { port } = server.address() as net.AddressInfo;
  const request = http.request({
    host: '127.0.0.1',
    port,
    localAddress,
    headers: [['Host', 'x'], ...headers].flat(),
  });
  request.end();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return JSON.parse((await response.toArray()).join('')) as Seen;
}

const says = (name: string): [string, string] => ['X-Remote-User', name];

describe('a trusted proxy', () => {
  test.each(['127.0.0.2', '127.1.255.254'])('at %s names a user', async (address) => {
    expect(await seen(address, [says('eva')])).toMatchObject({ user: 'eva' });
    expect(await seen(address, [says('eva')], servers[1])).toMatchObject({ user: 'eva' });
  });

  test.each([
    ['UTF-8', Buffer.from('José').toString('latin1')],
    ['Latin-1', 'José'],
  ])('names one in %s', async (_what, name) => {
    expect(await seen('127.0.0.2', [says(name)])).toMatchObject({ user: 'José' });
  });

  test('that names nobody leaves the login to the request', async () => {
    expect(await seen('127.0.0.2', [])).toMatchObject({ user: null });
    expect(await seen('127.0.0.2', [says('')])).toMatchObject({ user: null });
  });

  test('that names a stranger is refused', async () => {
    expect(await seen('127.0.0.2', [says('mallory')])).toEqual({
      code: 'forbidden',
      message:
        '"mallory" has signed in, and is no user of this server: an administrator can add one ("lab user add")',
    });
  });

  test.each([
    [says('eva'), says('José')],
    [says('eva'), ['x-remote-USER', 'eva'] as const],
    [says(''), says('eva')],
  ])('that names two is refused: its client may have written one (%#)', async (...headers) => {
    expect(await seen('127.0.0.2', headers)).toEqual({
      code: 'invalid-request',
      message: 'x-remote-user: is there twice: the proxy must replace what comes from a client',
    });
  });
});

describe('anybody else', () => {
  test.each([
    ['names a user', [says('eva')]],
    ['names a stranger', [says('mallory')]],
    ['names nobody', [says('')]],
    ['says that a proxy has sent it', [says('eva'), ['X-Forwarded-For', '127.0.0.2']]],
    ['says so in the standard way', [says('eva'), ['Forwarded', 'for=127.0.0.2']]],
  ] as const)('who %s is refused', async (_what, headers) => {
    for (const server of servers) {
      expect(await seen('127.0.0.3', headers, server)).toEqual({
        code: 'invalid-request',
        message: 'x-remote-user: only a trusted proxy may say who a user is',
      });
    }
  });

  test('is asked for a login where the header is not sent', async () => {
    expect(await seen('127.0.0.3', [])).toEqual({ user: null, address: '127.0.0.3' });
  });
});

describe('the address of a client', () => {
  test.each([
    ['127.0.0.3', '192.0.2.1', '127.0.0.3'],
    ['127.0.0.2', '192.0.2.1', '192.0.2.1'],
    ['127.0.0.2', '10.9.9.9, 192.0.2.1, 127.1.0.7', '192.0.2.1'],
    ['127.0.0.2', '2001:db8::1', '2001:db8::1'],
  ])('of %s with X-Forwarded-For: %s is %s', async (from, forwarded, address) => {
    expect(await seen(from, [['X-Forwarded-For', forwarded]])).toMatchObject({ address });
  });
});
