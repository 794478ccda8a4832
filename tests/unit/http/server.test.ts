/** The listening socket by itself, on applications of a few lines. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import express, { type Express } from 'express';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { ApiServer, withExpressPrototypes, type TlsFiles } from '../../../src/http/server.ts';
import { deferred } from '../../../src/lib/async/deferred.ts';
import { makePair, opensslMissing } from '../../support/certificates.ts';
import { eventually } from '../../support/eventually.ts';
import { request, sendRaw } from '../../support/http-client.ts';
import { listeners } from '../../support/listening.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const started: ApiServer[] = [];
const listen = listeners();

afterEach(async () => {
  await Promise.all(started.splice(0).map(async (server) => server.close()));
});

function hello(): Express {
  const app = express();
  app.get('/', (_req, res) => void res.send('hello'));
  return app;
}

async function listening(app = hello(), files?: TlsFiles, host = '127.0.0.1') {
  const log = new MemoryLogger();
  const server = new ApiServer(app, files, log);
  started.push(server);
  return { server, log, url: await server.listen(host, 0) };
}

/** A connection to it that is open. */
async function connected(url: string): Promise<net.Socket> {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

describe('without TLS', () => {
  test('it serves at the URL that it gives, until it is closed', async () => {
    const { server, url } = await listening();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await request(url, '/')).text).toBe('hello');
    // For it there is no certificate to be read again.
    server.reloadTls();
    await server.close();
    await expect(request(url, '/')).rejects.toThrow('ECONNREFUSED');
    // Once more does nothing.
    await server.close();
  });

  const hasIpv6 = Object.values(os.networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === '::1'),
  );
  (hasIpv6 ? test : test.skip)(
    `an IPv6 address stands in brackets${hasIpv6 ? '' : ' (skipped: there is no ::1 here)'}`,
    async () => {
      const { url } = await listening(hello(), undefined, '::1');
      expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
      expect((await request(url, '/')).text).toBe('hello');
    },
  );

  test('a port that is taken is told, and what could not listen can be closed', async () => {
    const { url } = await listening();
    const second = new ApiServer(hello(), undefined, new MemoryLogger());
    await expect(second.listen('127.0.0.1', Number(new URL(url).port))).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await second.close();
  });

  test('a wish for another protocol is answered, too', async () => {
    const { url } = await listening();
    const wish = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n';
    expect(await sendRaw(url, wish)).toMatch(/^HTTP\/1\.1 200 [^]*hello$/);
  });
});

test('what Node makes has the prototypes of the application before Express sets them', async () => {
  const app = express();
  app.get('/', (req, res) => void res.json([req.query['a'], req.app === app, res.app === app]));
  const server = http.createServer(withExpressPrototypes(app));
  const prototypes: unknown[] = [];
  const note = (req: http.IncomingMessage, res: http.ServerResponse): unknown =>
    prototypes.push(Object.getPrototypeOf(req), Object.getPrototypeOf(res));
  server.on('request', (req: http.IncomingMessage, res: http.ServerResponse) => {
    note(req, res);
    app(req, res);
    note(req, res);
  });
  const reply = await request(`http://127.0.0.1:${await listen(server)}`, '/?a=b');
  expect(reply.json).toEqual(['b', true, true]);
  expect(prototypes.slice(0, 2)).toEqual(prototypes.slice(2));
  expect(prototypes).not.toContain(http.IncomingMessage.prototype);
  expect(prototypes).not.toContain(http.ServerResponse.prototype);
});

describe('a server that is closed', () => {
  test('ends connections on which nothing is asked at once', async () => {
    const { server, url } = await listening();
    const agent = new http.Agent({ keepAlive: true });
    expect((await request(url, '/', { agent })).text).toBe('hello');
    // The grace of those that are at work never ends here.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    try {
      await server.close();
    } finally {
      jest.useRealTimers();
      agent.destroy();
    }
  });

  test('lets requests end that came before', async () => {
    const asked = deferred<() => void>();
    const app = express();
    app.get('/', (_req, res) => asked.resolve(() => void res.send('late')));
    const { server, url } = await listening(app);
    const reply = request(url, '/');
    const answer = await asked.promise;
    const closed = server.close();
    answer();
    expect((await reply).text).toBe('late');
    await closed;
  });

  test('cuts off those that do not end, and clients that never ask', async () => {
    const app = express();
    app.get('/', (_req, res) => void res.write('and then nothing'));
    const { server, url } = await listening(app);
    const silent = await connected(url);
    const streaming = await connected(url);
    const cut = [silent, streaming].map(async (socket) => {
      socket.on('error', () => undefined);
      socket.resume();
      return once(socket, 'close');
    });
    streaming.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(streaming, 'data');
    await server.close();
    await Promise.all(cut);
  });
});

(opensslMissing === undefined ? describe : describe.skip)(
  `with TLS${opensslMissing === undefined ? '' : ` (skipped: ${opensslMissing})`}`,
  () => {
    /** A pair on the disk, and what writes another one in its place. */
    function pairOnDisk(isSelfSigned = false) {
      const directory = mkdtempSync(path.join(root, 'tls-'));
      const files: TlsFiles = {
        certFile: path.join(directory, 'cert.pem'),
        keyFile: path.join(directory, 'key.pem'),
        isSelfSigned,
      };
      const write = (name: string): void => {
        const { cert, key } = makePair(directory, name);
        writeFileSync(files.keyFile, key);
        writeFileSync(files.certFile, cert);
      };
      return { files, write, directory };
    }

    /** The common name of the certificate that a new connection gets. */
    async function servedName(url: string): Promise<string> {
      const port = Number(new URL(url).port);
      const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const name = socket.getPeerCertificate().subject.CN;
      socket.destroy();
      return String(name);
    }

    test('it serves with the certificate, and with another one as soon as that is there', async () => {
      const { files, write } = pairOnDisk();
      write('first');
      const { url, log } = await listening(hello(), files);
      expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      expect((await request(url, '/', { tls: { rejectUnauthorized: false } })).text).toBe('hello');
      expect(await servedName(url)).toBe('first');
      write('second');
      await eventually('the second one is served', async () => (await servedName(url)) === 'second');
      expect(log.entries).toContainEqual({
        level: 'info',
        message: 'the TLS certificate was reloaded',
        fields: { certificate: files.certFile },
      });
    });

    test('a pair that is not usable changes nothing, and is reported', async () => {
      const { files, write, directory } = pairOnDisk();
      write('good');
      const { server, url, log } = await listening(hello(), files);
      writeFileSync(files.keyFile, makePair(directory, 'another').key);
      server.reloadTls();
      expect(log.errors()).toContain('the new TLS certificate or key is not usable; the old pair stays');
      const told = log.entries.find(({ level }) => level === 'error');
      expect(told?.fields['cause']).toMatch(/key/i);
      expect(await servedName(url)).toBe('good');
    });

    test('a pair that is made during the start is read when the server listens, and watched from then on', async () => {
      const { files, write } = pairOnDisk(true);
      const log = new MemoryLogger();
      const server = new ApiServer(hello(), files, log);
      started.push(server);
      write('made');
      const url = await server.listen('127.0.0.1', 0);
      expect(await servedName(url)).toBe('made');
      write('renewed');
      await eventually('the renewed one is served', async () => (await servedName(url)) === 'renewed');
    });

    test.each([
      ['a certificate', 'the certificate', (files: TlsFiles) => rmSync(files.certFile)],
      ['a key', 'the key', (files: TlsFiles) => rmSync(files.keyFile)],
      ['a key in its file', 'the key', (files: TlsFiles) => writeFileSync(files.keyFile, 'no key')],
    ])('without %s there is no server, which says which of the two it is', (_without, what, spoil) => {
      const { files, write } = pairOnDisk();
      write('spoilt');
      spoil(files);
      expect(() => new ApiServer(hello(), files, new MemoryLogger())).toThrow(new RegExp(`^${what}: `));
    });

    test('who speaks plain HTTP to it is told of in the log', async () => {
      const { files, write } = pairOnDisk();
      write('plain');
      const { url, log } = await listening(hello(), files);
      await sendRaw(url, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n').catch(() => '');
      const entry = await eventually('a line', () => log.entries.find(({ level }) => level === 'warn'));
      expect(entry).toEqual({
        level: 'warn',
        message: 'a client speaks plain HTTP to this port; its URL must begin with https',
        fields: { address: '127.0.0.1' },
      });
    });

    test('once it is closed, nobody watches the files any more', async () => {
      const { files, write } = pairOnDisk();
      write('before');
      const { server, log } = await listening(hello(), files);
      await server.close();
      const other = await listening(hello(), files);
      write('after');
      await eventually('the other one has seen it', () => other.log.entries.length > 0);
      expect(log.entries).toEqual([]);
    });
  },
);
