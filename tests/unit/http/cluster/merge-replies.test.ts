/** One reply made of those of all hosts; the other ones are bare servers of this process. */
import { expect, describe, test } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import type { Host } from '../../../../src/cluster/model/host.ts';
import { replyOfAll } from '../../../../src/http/cluster/merge-replies.ts';
import { mergeLists } from '../../../../src/http/cluster/merges.ts';
import type { HttpContext } from '../../../../src/http/context.ts';
import { strongETag } from '../../../../src/http/reply/etag.ts';
import type { Answers, Reply, Route } from '../../../../src/http/route.ts';
import { freePort } from '../../../support/free-port.ts';
import { request } from '../../../support/http-client.ts';
import { listeners } from '../../../support/listening.ts';
import { appOf, clusterOf, hostAt, hostNamed, olga } from '../../../support/plain-cluster.ts';

const listen = listeners();

const merge = (answers: Answers) => ({ value: mergeLists(answers, 'labs'), headers: { Link: '</next>' } });

interface Given {
  readonly own: Reply | (() => Promise<Reply>);
  readonly others?: readonly Host[];
  readonly isAlone?: true;
  readonly isPassedOn?: true;
  readonly query?: { readonly host?: string; readonly cli?: string };
  readonly route?: Partial<Route>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a service makes of its own reply and those of the others. */
async function madeOf({
  own,
  others = [],
  isAlone,
  isPassedOn,
  query = {},
  route = { merge },
  headers = {},
}: Given) {
  const cluster = clusterOf(others);
  const context = {
    cluster: isAlone ? undefined : cluster,
    config: { basePath: '/base' },
  } as unknown as HttpContext;
  let made: Reply | undefined;
  const app = appOf(olga, async (req, res) => {
    if (isPassedOn) req.isPassedOn = true;
    const answerHere = typeof own === 'function' ? own : () => own;
    made = await replyOfAll(route as Route, { req, res, query, context }, answerHere);
    res.end();
  });
  const url = `http://127.0.0.1:${await listen(http.createServer(app))}`;
  const { status, text } = await request(url, '/base/labs?cli=netlab', { headers });
  return { made, asked: cluster.asked, status, problem: text };
}

async function saying(text: string, name = 'two', seen: http.IncomingHttpHeaders[] = []): Promise<Host> {
  const server = http.createServer((req, res) => {
    seen.push(req.headers);
    res.end(text);
  });
  return hostAt(await listen(server), name);
}

const json = (value: unknown, headers?: Readonly<Record<string, string>>): Reply => ({
  kind: 'json',
  status: 200,
  value,
  ...(headers && { headers }),
});
const bytes = (text: string, type: string, more = {}): Reply => ({
  kind: 'bytes',
  bytes: Buffer.from(text),
  headers: { 'Content-Type': type, ...more },
});

describe('a host answers by itself', () => {
  const own = json({ labs: ['own'] });

  test.each([
    ['that is in no cluster', { isAlone: true }],
    ['whom another host has asked', { isPassedOn: true }],
    ['that was named', { query: { host: 'one' } }],
    ['where there is nothing to be made of several answers', { route: {} }],
  ] as const)('%s', async (_what, given) => {
    const { made, asked } = await madeOf({ own, others: [await saying('{}')], ...given });
    expect(made).toBe(own);
    expect(asked).toEqual([]);
  });

  test('when it cannot answer, and waits for nobody', async () => {
    const server = http.createServer();
    const asked = once(server, 'request');
    const refuse = async (): Promise<Reply> => {
      await asked;
      throw new Error('no lab CLI');
    };
    const { status, made } = await madeOf({ own: refuse, others: [hostAt(await listen(server))] });
    expect([status, made]).toEqual([500, undefined]);
  });
});

describe('documents become one', () => {
  test('of what all say, and who says nothing', async () => {
    const { made, asked } = await madeOf({
      own: json({ labs: [{ id: 1 }] }),
      others: [await saying('{"labs":[{"id":2}]}'), hostAt(await freePort(), 'gone')],
    });
    const value = { labs: [{ id: 1 }, { id: 2 }], missingHosts: ['gone'] };
    const text = `${JSON.stringify(value)}\n`;
    expect(made).toEqual({ kind: 'json', status: 200, value, text, headers: { Link: '</next>' } });
    const asker = { name: 'olga', role: 'operator', workdirs: null };
    expect(asked[0]).toEqual({ host: 'two', method: 'GET', path: '/labs?cli=netlab', asker });
  });

  test.each(['<html>502 Bad Gateway</html>', '["labs"]', '"labs"', 'null', '{"labs":'])(
    'a host that says %s says nothing',
    async (text) => {
      const { made } = await madeOf({ own: json({ labs: [] }), others: [await saying(text)] });
      expect(made).toMatchObject({ value: { labs: [], missingHosts: ['two'] } });
    },
  );

  test('also when this host has its own as bytes', async () => {
    const own = bytes('{"labs":[{"id":1}]}', 'application/json');
    const { made } = await madeOf({ own, others: [await saying('{"labs":[{"id":2}]}')] });
    expect(made).toMatchObject({ kind: 'json', value: { labs: [{ id: 1 }, { id: 2 }] } });
  });

  test('with the headers of its own, but for those that hold for that alone', async () => {
    const own = json({ labs: [] }, { 'Cache-Control': 'no-cache', ETag: '"own"', Link: '</own>' });
    const { made } = await madeOf({ own, others: [await saying('{"labs":[{"id":2}]}')] });
    const text = '{"labs":[{"id":2}]}\n';
    expect(made).toMatchObject({
      text,
      headers: { 'Cache-Control': 'no-cache', ETag: strongETag(text), Link: '</next>' },
    });
    const bare = { merge: (answers: Answers) => ({ value: mergeLists(answers, 'labs') }) };
    expect((await madeOf({ own, route: bare })).made).toMatchObject({
      headers: { 'Cache-Control': 'no-cache', ETag: strongETag('{"labs":[]}\n') },
    });
    expect((await madeOf({ own, route: bare })).made).not.toHaveProperty('headers.Link');
  });
});

test('whether a client takes what was kept is said to the others, and nothing else of its headers', async () => {
  const seen: http.IncomingHttpHeaders[] = [];
  const others = [await saying('{}', 'two', seen)];
  await madeOf({ own: json({}), others, headers: { 'cache-control': 'no-cache', cookie: 'session=secret' } });
  await madeOf({ own: json({}), others });
  expect(seen.map((headers) => headers['cache-control'])).toEqual(['no-cache', undefined]);
  expect(JSON.stringify(seen)).not.toContain('secret');
});

test('what lab CLIs print for people comes under the name of each host', async () => {
  const type = 'text/plain; charset=utf-8';
  const { made } = await madeOf({
    own: bytes('no labs\n', type, { ETag: '"own"', 'X-A': '1' }),
    others: [await saying('one lab\n'), hostNamed('gone', { state: 'away' })],
  });
  expect(made).toMatchObject({ kind: 'bytes', headers: { 'Content-Type': type, 'X-A': '1' } });
  expect(made).not.toHaveProperty('headers.ETag');
  expect(String((made as { bytes: Buffer }).bytes)).toBe(
    '# one\nno labs\n\n# two\none lab\n\n# gone\n(does not answer)\n',
  );
});
