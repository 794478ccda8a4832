import { describe, expect, test } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { Connection } from '../../../src/client/connection.ts';
import { ConnectionError, ServiceError, UnexpectedReply } from '../../../src/client/service-error.ts';
import { json, scriptedServers } from '../../support/scripted-server.ts';

const startServer = scriptedServers();

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as () => void;

describe('is not made', () => {
  test.each([
    [undefined, /^url is required/],
    ['', /^url is required/],
    ['lab.example.org', /^not an http or https URL$/],
    ['ftp://lab.example.org', /^not an http or https URL$/],
    ['xhttp://lab.example.org', /^not an http or https URL$/],
    ['httpsx://lab.example.org', /^not an http or https URL$/],
    ['http://user@lab.example.org', /must not contain a password/],
    ['http://:secret@lab.example.org', /must not contain a password/],
  ])('with the URL %j', (url, sentence) => {
    const make = () => new Connection({ url: url as string });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(sentence);
  });

  test.each(['', 'a b', 'a\n', ' a', 'ä', '\u007f'])(
    'with the token %j, which it does not repeat',
    (token) => {
      const make = () => new Connection({ url: 'http://lab.example.org', credentials: { token } });
      expect(make).toThrow('the token must be visible ASCII characters only');
    },
  );
});

describe('asks', () => {
  test.each([
    ['', '/jobs'],
    ['/', '/jobs'],
    ['/netlab', '/netlab/jobs'],
    ['/a/b//', '/a/b/jobs'],
  ])('below the base path %j', async (base, target) => {
    const { url, asked } = await startServer(json({}));
    await new Connection({ url: url + base }).json('GET', '/jobs');
    expect(asked.map((request) => request.target)).toEqual([target]);
  });

  test('with a query: each value of a list, and nothing for what is not given', async () => {
    const { url, asked } = await startServer(json({}));
    const query = { limit: 5, plain: false, label: ['a=b', 'c d'], cursor: undefined, none: [] };
    await new Connection({ url }).json('GET', '/jobs', { query });
    expect(asked[0]?.target).toBe('/jobs?limit=5&plain=false&label=a%3Db&label=c+d');
  });

  test('with a body as JSON, and with headers of its own', async () => {
    const { url, asked } = await startServer(json({}));
    const headers = { 'Idempotency-Key': 'k' };
    await new Connection({ url }).json('POST', '/jobs', { headers, body: { action: 'up' } });
    expect(asked[0]).toMatchObject({ method: 'POST', body: '{"action":"up"}' });
    expect(asked[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'k' });
  });

  test('with neither body nor credentials where there are none', async () => {
    const { url, asked } = await startServer(json({}));
    await new Connection({ url }).json('GET', '/jobs');
    expect(asked[0]).toMatchObject({ body: '' });
    expect(Object.keys(asked[0]?.headers ?? {})).not.toContain('content-type');
    expect(Object.keys(asked[0]?.headers ?? {})).not.toContain('authorization');
  });

  test.each([
    // The example of RFC 7617, section 2.1: UTF-8.
    [{ user: 'test', password: '123£' }, 'Basic dGVzdDoxMjPCow=='],
    [{ token: '!abc~' }, 'Bearer !abc~'],
  ])('as %j', async (credentials, authorization) => {
    const { url, asked } = await startServer(json({}));
    await new Connection({ url, credentials }).json('GET', '/jobs');
    expect(asked[0]?.headers.authorization).toBe(authorization);
  });

  test('by the fetch that it was given', async () => {
    const own = async (url: unknown) => Response.json({ url: String(url) });
    const connection = new Connection({ url: 'http://lab.example.org/', fetch: own });
    expect(await connection.json('GET', '/jobs')).toEqual({ url: 'http://lab.example.org/jobs' });
  });
});

describe('a reply', () => {
  test('of 399 is one, of 400 is an error', async () => {
    const { url } = await startServer(json({}, 399), json({ detail: 'no' }, 400));
    const connection = new Connection({ url });
    expect((await connection.send('GET', '/')).status).toBe(399);
    const failure = await connection.send('GET', '/').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServiceError);
    expect(failure).toMatchObject({ status: 400, message: 'no' });
  });

  test.each([301, 302, 303, 307, 308])(
    'elsewhere (%s) is not asked for: a password would go along',
    async (status) => {
      const { url, asked } = await startServer((res) => res.writeHead(status, { Location: '/other' }).end());
      const asking = new Connection({ url }).text('GET', '/');
      await expect(asking).rejects.toMatchObject({
        name: 'ConnectionError',
        message: `${url}: unexpected redirect`,
      });
      expect(asked).toHaveLength(1);
    },
  );

  test('elsewhere is refused in browsers, which do not show its status', async () => {
    const opaque = Object.defineProperty(new Response(), 'type', { value: 'opaqueredirect' });
    const connection = new Connection({ url: 'http://lab.example.org', fetch: async () => opaque });
    await expect(connection.text('GET', '/')).rejects.toBeInstanceOf(ConnectionError);
  });

  test('that breaks off is a lost connection, which names the service and keeps the cause', async () => {
    const { url } = await startServer((res) => {
      res.writeHead(200, { 'Content-Length': '100' }).write('abc', () => res.destroy());
    });
    const failure = await new Connection({ url }).text('GET', '/').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).not.toBeInstanceOf(UnexpectedReply);
    expect((failure as Error).message).toContain(`${url}: `);
    expect((failure as Error).cause).toBeDefined();
  });

  test('that is no JSON is unexpected, and stays that', async () => {
    const { url } = await startServer((res) => res.end('<html>'));
    await expect(new Connection({ url }).json('GET', '/')).rejects.toThrow(/^the reply is not JSON$/);
  });
});

test('why it was stopped is told, not that the connection is lost', async () => {
  const { url } = await startServer(() => undefined);
  const stop = new AbortController();
  const asking = new Connection({ url }).text('GET', '/', { signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(asking).rejects.toThrow('enough');
});

test('stops in the middle of a reply, also after garbage was collected', async () => {
  const { url } = await startServer((res) => void res.write('['));
  const stop = new AbortController();
  const { body } = await new Connection({ url }).send('GET', '/', { signal: stop.signal });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const reading = reader.read();
  // A WeakRef, as `fetch` has them, keeps its object until the current job of the event loop ends.
  await setTimeout();
  collectGarbage();
  stop.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
}, 10_000);

test('an unexpected reply passes through, and every other error becomes a lost connection', async () => {
  const connection = new Connection({ url: 'http://lab.example.org/netlab/' });
  const unexpected = new UnexpectedReply('odd');
  const throwing = async (error: Error) =>
    connection.lossNamed(() => {
      throw error;
    }, {});
  await expect(throwing(unexpected)).rejects.toBe(unexpected);
  await expect(throwing(new Error('x'))).rejects.toMatchObject({
    name: 'ConnectionError',
    message: 'http://lab.example.org/netlab: x',
    reason: undefined,
  });
});
