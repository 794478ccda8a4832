/** Calls of the tools, against a server that is played. */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { LabApiClient } from '../../../src/client/lab-api-client.ts';
import { asking } from '../../../src/mcp/ask.ts';
import { createMcpServer } from '../../../src/mcp/mcp-server.ts';
import { tools } from '../../../src/mcp/tools.ts';
import { eventually } from '../../support/eventually.ts';
import { Assistant, dataIn, sampleCall, textIn } from '../../support/mcp.ts';
import { json, scriptedServers } from '../../support/scripted-server.ts';

const start = scriptedServers();

async function assistantAt(url: string): Promise<Assistant> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new LabApiClient({ url });
  await createMcpServer({ client, version: '1', onFault: () => undefined }).connect(ours);
  return new Assistant().connect(theirs);
}

test('each tool ends its request when its call is canceled', async () => {
  let asked: (res: ServerResponse) => void = () => undefined;
  const { url } = await start((res) => asked(res));
  const assistant = await assistantAt(url);
  for (const tool of tools) {
    const waiting = new Promise<ServerResponse>((resolve) => {
      asked = resolve;
    });
    const stop = new AbortController();
    const call = assistant.call(tool.name, sampleCall(tool), stop.signal).catch(() => 'canceled');
    const gone = once(await waiting, 'close');
    stop.abort();
    expect([tool.name, await call]).toEqual([tool.name, 'canceled']);
    await gone;
  }
});

test('inputs become parts of the path, parameters and fields, under the names of the API', async () => {
  const { url, asked } = await start(json({ labs: [], warnings: [], jobs: [], nextCursor: null }));
  const assistant = await assistantAt(url);
  const last = () => {
    const { method = '', target = '', body = '' } = asked.at(-1) ?? {};
    return [`${method} ${target}`, body];
  };
  await assistant.tell('list_jobs', { lab: 'a b', limit: 5, offset: 0 });
  expect(last()).toEqual(['GET /jobs?instance=a+b&limit=5', '']);
  await assistant.call('lab_topology', { lab: 'a/b', cli: 'netlab' });
  expect(last()).toEqual(['GET /labs/a%2Fb/topology?cli=netlab', '']);
  await assistant.tell('restore_snapshot', { name: 's', workspace: 'w', copies: 2, host: 'h1' });
  expect(last()).toEqual(['POST /snapshots/s/restore?host=h1', '{"workspace":"w","copies":2}']);
  await assistant.call('start_lab', { source: { git: 'https://host/x.git' }, host: 'h1', cli: 'netlab' });
  const fields = { action: 'up', source: { git: 'https://host/x.git' }, host: 'h1', cli: 'netlab' };
  expect(last()[0]).toBe('POST /jobs');
  expect(JSON.parse(last()[1] ?? '')).toEqual(fields);
  await assistant.call('stop_lab', { lab: '7', cleanup: true });
  expect(JSON.parse(last()[1] ?? '')).toEqual({ action: 'down', instance: '7', cleanup: true });
  await assistant.call('switch_nodes', { lab: '7', action: 'stop-nodes', nodes: ['r1'] });
  expect(JSON.parse(last()[1] ?? '')).toEqual({ action: 'stop-nodes', instance: '7', nodes: ['r1'] });
  await assistant.call('make_workspace', { name: 'w', host: 'h1' });
  expect(last()).toEqual(['PUT /workspaces/w?host=h1', '']);
  expect(asked.at(-1)?.headers['content-type']).toBeUndefined();
  await assistant.call('make_workspace', { name: 'w', template: '/labs/a b.yml' });
  expect(last()).toEqual(['PUT /workspaces/w?template=%2Flabs%2Fa+b.yml', '']);
  await assistant.call('write_file', { name: 'w', path: 'a b/c?d', content: 'text', etag: '"1-2"' });
  expect(last()).toEqual(['PUT /workspaces/w/files/a%20b/c%3Fd', 'text']);
  expect(asked.at(-1)?.headers['if-match']).toBe('"1-2"');
  await assistant.call('write_file', { name: 'w', path: 'x', content: '', etag: 'new' });
  expect(asked.at(-1)?.headers['if-none-match']).toBe('*');
  await assistant.call('capture_packets', { lab: '1', node: 'r1', interface: 'eth1' });
  expect(last()[0]).toMatch(/\/capture\?output=text&seconds=10&packets=50$/);
});

test('a comparison names the nodes that are the same, and has the others', async () => {
  const nodes = [
    { node: 'r1', change: 'same', diff: null, reason: null },
    { node: 'r2', change: 'changed', diff: '-a\n+b', reason: null },
    { node: 'r3', change: 'unknown', diff: null, reason: 'it is down' },
  ];
  const side = { snapshot: null, at: '2026-01-01T00:00:00Z' };
  const { url } = await start(json({ differs: true, before: side, after: side, nodes }));
  const text = await (await assistantAt(url)).tell('compare_lab', { lab: '1' });
  expect(text).toMatch(/^1 of 3 nodes differ; 1 could not be compared\./);
  expect(JSON.parse(textIn(text))).toMatchObject({ same: ['r1'], nodes: nodes.slice(1) });
});

test('a server that cannot start labs says what is missing, and another error stays one', async () => {
  const full = { status: 'unavailable', checks: [{ name: 'free-disk', ok: false, detail: 'too little' }] };
  const away = (res: ServerResponse): void => void res.writeHead(503).end('Service Unavailable');
  const stopping = json({ code: 'shutting-down' }, 503, { 'Content-Type': 'application/problem+json' });
  const { url } = await start(json(full, 503), away, stopping, json(full, 500));
  const assistant = await assistantAt(url);
  expect(dataIn(await assistant.tell('server_health'))).toEqual(full);
  for (const code of ['status 503', 'shutting-down', 'status 500']) {
    const refused = await assistant.call('server_health');
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining(`(${code})`) });
  }
});

test('a node that refuses does not hide the configurations of the others', async () => {
  const { url } = await start((res, asked) => {
    const [, node = ''] = /nodes\/(\w+)\/configuration$/.exec(asked.target) ?? [];
    if (/^r[13]$/.test(node)) res.end(`hostname ${node}`);
    else json({ code: 'node-not-found', detail: `there is no ${node}` }, 404)(res, asked);
  });
  const assistant = await assistantAt(url);
  const some = await assistant.tell('read_configuration', { lab: '1', nodes: ['r1', 'r2', 'r3'] });
  expect(some).toMatch(/^1 of 3 nodes refused or failed\./);
  expect(textIn(some)).toBe(
    '### r1\nhostname r1\n### r2\nRefused or failed: there is no r2\n### r3\nhostname r3',
  );
  const none = await assistant.call('read_configuration', { lab: '1', nodes: ['r2', 'r4'] });
  expect(none).toMatchObject({ isError: true, text: expect.stringContaining('Call lab_topology') });
});

test('eight long replies are read at once, short ones do not wait, and a canceled call gives its place back', async () => {
  const taken: string[] = [];
  const { url } = await start((res, { target }) => {
    const name = target.split('/').at(-1) ?? '';
    if (name === 'short') res.end('short');
    // More than the buffers between the two take: it is written when the tool has read most of it. The end does not come.
    else res.write('x'.repeat(24_000_000), (error) => !error && taken.push(name));
  });
  const assistant = await assistantAt(url);
  const names = Array.from({ length: 9 }, (_none, index) => `long-${index}`);
  const stops = new Map(names.map((path) => [path, new AbortController()]));
  const calls = names.map(async (path) =>
    assistant.call('read_file', { name: 'w', path }, stops.get(path)?.signal).catch(() => 'canceled'),
  );
  await eventually('eight are read', () => taken.length >= 8);
  expect(textIn(await assistant.tell('read_file', { name: 'w', path: 'short' }))).toBe('short');
  expect(taken).toHaveLength(8);
  stops.get(taken[0] ?? '')?.abort();
  await eventually('the last one is read', () => taken.length === 9);
  for (const stop of stops.values()) stop.abort();
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['canceled']));
});

/** A reply whose third piece of half a MiB makes it long, and that does not end by itself. */
function longReply() {
  const stop = new AbortController();
  let asked = 0;
  let end: () => void = () => undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        end = () => controller.error(new Error('over'));
      },
      pull: async (controller) => {
        asked += 1;
        if (asked > 3) return new Promise<void>(() => undefined);
        controller.enqueue(new Uint8Array(512 * 1024));
      },
    },
    { highWaterMark: 0 },
  );
  const client = new LabApiClient({ url: 'http://lab.example.org', fetch: async () => new Response(body) });
  const text = asking(client, stop.signal)('GET /openapi.json', {}).catch((error: unknown) => error);
  return { text, stop, asked: () => asked, end };
}

test('a canceled call that waits for other long replies ends', async () => {
  const others = Array.from({ length: 8 }, longReply);
  await eventually('eight are read', () => others.every(({ asked }) => asked() === 4));
  const { text, stop, asked } = longReply();
  await eventually('its third piece', () => asked() === 3);
  await setImmediate();
  stop.abort(new Error('canceled'));
  expect(await text).toMatchObject({ message: 'canceled' });
  expect(asked()).toBe(3);
  for (const { end } of others) end();
  await Promise.all(others.map(async (other) => other.text));
}, 30_000);

test('bytes are not shown, and what is too long is refused with the way out', async () => {
  const bytes = (res: ServerResponse): void => void res.end(Buffer.from([0x89, 0x50, 0, 1]));
  const endless = (res: ServerResponse): void => {
    const write = (): void => {
      while (!res.destroyed && res.write('x'.repeat(1_000_000)));
      res.once('drain', write);
    };
    write();
  };
  const broken = (res: ServerResponse): void => {
    res.writeHead(200, { 'Content-Length': 100 }).write('half', () => res.destroy());
  };
  const { url } = await start(bytes, endless, broken);
  const assistant = await assistantAt(url);
  const file = { name: 'w', path: 'x' };
  expect((await assistant.call('read_file', file)).text).toContain('The file is not text');
  const long = await assistant.call('read_file', file);
  expect(long).toMatchObject({ isError: true, text: expect.stringContaining('32 MiB at most') });
  const lost = await assistant.call('read_file', file);
  expect(lost).toMatchObject({ isError: true, text: expect.stringContaining('in the middle of the reply') });
});
