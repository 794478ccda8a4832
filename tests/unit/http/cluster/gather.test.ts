/** The same question to several hosts, each of which is a bare server of this process. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import type { Host } from '../../../../src/cluster/model/host.ts';
import { gather } from '../../../../src/http/cluster/gather.ts';
import { freePort } from '../../../support/free-port.ts';
import { open, request } from '../../../support/http-client.ts';
import { listeners } from '../../../support/listening.ts';
import { appOf, clusterOf, hostAt } from '../../../support/plain-cluster.ts';

const listen = listeners();
afterEach(() => void jest.useRealTimers());

/** A host that answers so. */
async function answering(name: string, answer: RequestListener, more: Partial<Host> = {}): Promise<Host> {
  return hostAt(await listen(http.createServer(answer)), name, more);
}
const saying =
  (text: string, status = 200): RequestListener =>
  (_req, res) =>
    void res.writeHead(status).end(text);

type Question = Omit<Parameters<typeof gather>[1], 'res'>;

/** The address of a service that answers with what it gathers. */
async function gathering(
  cluster: ReturnType<typeof clusterOf>,
  question: Partial<Question> = {},
): Promise<string> {
  const app = appOf(undefined, async (_req, res) => {
    const { parts, missing } = await gather(cluster, { path: '/labs', asker: null, ...question, res });
    res.json({
      parts: parts.map(({ host, text }) => [host.name, text.length > 99 ? text.length : text]),
      missing: missing.map(({ name }) => name),
    });
  });
  return `http://127.0.0.1:${await listen(http.createServer(app))}`;
}

async function gathered(others: readonly Host[], question?: Partial<Question>): Promise<unknown> {
  return (await request(await gathering(clusterOf(others), question), '/')).json;
}

test('all other hosts are asked at once, in the name of whoever asks, and told in their order', async () => {
  const waiting: (() => void)[] = [];
  const seen: string[] = [];
  // None answers before both were asked.
  const together =
    (text: string): RequestListener =>
    (req, res) => {
      const { 'cache-control': caching, 'x-lab-api-pass': pass } = req.headers;
      seen.push([req.method, req.url, caching, pass].join(' '));
      waiting.push(() => res.end(text));
      if (waiting.length === 2) for (const answer of waiting.toReversed()) answer();
    };
  const cluster = clusterOf([
    await answering('two', together('of two')),
    await answering('three', together('of three')),
  ]);
  const asker = { name: 'olga', role: 'viewer' as const, workdirs: ['/labs'] };
  const url = await gathering(cluster, {
    path: '/labs?cli=netlab',
    asker,
    headers: { 'cache-control': 'no-cache' },
  });
  expect((await request(url, '/')).json).toEqual({
    parts: [
      ['two', 'of two'],
      ['three', 'of three'],
    ],
    missing: [],
  });
  expect(seen.toSorted()).toEqual([
    'GET /labs?cli=netlab no-cache pass for three',
    'GET /labs?cli=netlab no-cache pass for two',
  ]);
  expect(cluster.asked).toEqual([
    { host: 'two', method: 'GET', path: '/labs?cli=netlab', asker },
    { host: 'three', method: 'GET', path: '/labs?cli=netlab', asker },
  ]);
});

test('a host that has no such thing is not missing; one that fails, or is away, is', async () => {
  let asked = 0;
  const hosts = [
    await answering('has-none', saying('there is no such lab', 404)),
    await answering('fails', saying('an error', 500)),
    await answering('redirects', saying('', 302)),
    await answering('away', () => (asked += 1), { state: 'away' }),
    hostAt(await freePort(), 'gone'),
    await answering('two', saying('ä')),
  ];
  expect(await gathered(hosts)).toEqual({
    parts: [['two', 'ä']],
    missing: ['fails', 'redirects', 'away', 'gone'],
  });
  expect(asked).toBe(0);
});

test('a host whose answer breaks off is missing', async () => {
  const host = await answering('two', (_req, res) => {
    res.writeHead(200, { 'content-length': '10' }).write('half', () => res.destroy());
  });
  expect(await gathered([host])).toEqual({ parts: [], missing: ['two'] });
});

test('of a lab CLI, those hosts are asked that have it, and those of which it is not known', async () => {
  const hosts = [
    await answering('has-it', saying('1'), { clis: ['netlab', 'clab'] }),
    await answering('has-another', saying('2'), { clis: ['netlab'] }),
    await answering('of-earlier', saying('3')),
  ];
  expect(await gathered(hosts, { cli: 'clab' })).toEqual({
    parts: [
      ['has-it', '1'],
      ['of-earlier', '3'],
    ],
    missing: [],
  });
  expect(await gathered(hosts)).toMatchObject({ parts: [{}, {}, {}] });
});

test.each([
  ['20 s, when nothing else is said', {}, 20_000],
  ['as long as is said', { withinMs: 5_000 }, 5_000],
])(
  'a slow host is waited for %s, and is missing then, and asked no more',
  async (_what, question, limitMs) => {
    const server = http.createServer();
    const asked = once(server, 'request');
    const url = await gathering(clusterOf([hostAt(await listen(server), 'slow')]), question);
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    const reply = request(url, '/');
    const [, res] = (await asked) as [unknown, http.ServerResponse];
    let isOver = false;
    res.once('close', () => (isOver = true));
    await jest.advanceTimersByTimeAsync(limitMs - 1);
    expect(isOver).toBe(false);
    const closed = once(res, 'close');
    await jest.advanceTimersByTimeAsync(1);
    expect((await reply).json).toEqual({ parts: [], missing: ['slow'] });
    await closed;
  },
);

test('a host that is found to be away while it is asked is missing, and the others are not', async () => {
  const server = http.createServer();
  const asked = once(server, 'request');
  const lost = hostAt(await listen(server), 'lost');
  const cluster = clusterOf([lost, await answering('two', saying('two'))]);
  const reply = request(await gathering(cluster), '/');
  await asked;
  cluster.lose(lost);
  expect((await reply).json).toEqual({ parts: [['two', 'two']], missing: ['lost'] });
});

test('nobody is asked any more once the client has gone', async () => {
  const server = http.createServer();
  const asked = once(server, 'request');
  const url = await gathering(clusterOf([hostAt(await listen(server))]));
  const gone = new AbortController();
  const reply = open(url, '/', { signal: gone.signal }).catch(() => undefined);
  const [, res] = (await asked) as [unknown, http.ServerResponse];
  const closed = once(res, 'close');
  gone.abort();
  await Promise.all([closed, reply]);
});

const most = 32 * 1024 * 1024;

test('an answer of 32 MiB is read, and a longer one is not', async () => {
  const whole = Buffer.alloc(most, 'x');
  const hosts = [
    await answering('most', (_req, res) => void res.end(whole)),
    await answering('more', (_req, res) => {
      res.write(whole);
      res.end('x');
    }),
  ];
  expect(await gathered(hosts)).toEqual({ parts: [['most', most]], missing: ['more'] });
});
