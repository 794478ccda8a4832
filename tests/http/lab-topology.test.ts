import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

const inspected = path.resolve(__dirname, '../fixtures/netlab/inspect.json');
let service: RunningService;
let snapshot: string;

beforeAll(async () => {
  service = await startService({ env: { LAB_API_STATUS_MAX_AGE: '60s' } });
  const { workdir } = service.ground;
  await service.ended(await service.start({ action: 'up', workdir, topology: topologyThat() }));
  snapshot = path.join(workdir, 'netlab.snapshot.pickle');
});
beforeEach(() => copyFileSync(inspected, snapshot));

const inspections = (): number => service.ground.runs('inspect').length;
const put = async (body: unknown, headers: Record<string, string> = {}) =>
  service.request('/labs/default/layout', { method: 'PUT', body, headers });

describe('the topology', () => {
  test('is that of the snapshot, read once for all who ask as long as it stays as it is', async () => {
    const before = inspections();
    const replies = await Promise.all(
      Array.from({ length: 50 }, async () => service.get('/labs/default/topology')),
    );
    expect(inspections()).toBe(before + 1);
    const { json } = replies[0]!;
    expect(json.nodes.map(({ name }: { name: string }) => name)).toEqual(['r1', 'r2', 'h1', 'h2']);
    expect(json.links).toHaveLength(3);
    writeFileSync(snapshot, JSON.stringify({ nodes: { x: { id: 1 } }, links: [] }));
    expect((await service.get('/labs/default/topology')).json.nodes).toMatchObject([
      { name: 'x', role: null },
    ]);
    expect(inspections()).toBe(before + 2);
  });

  test('has an ETag, and what is known already is 304', async () => {
    const { headers } = await service.get('/labs/default/topology');
    expect(headers['cache-control']).toBe('no-cache');
    const again = await service.get('/labs/default/topology', { 'If-None-Match': String(headers.etag) });
    expect(again).toMatchObject({ status: 304, text: '' });
  });

  test.each(['topology', 'topology.svg'])(
    'of a lab without a snapshot: %s is 404 with what to do',
    async (what) => {
      rmSync(snapshot);
      const reply = await service.get(`/labs/default/${what}`);
      expectProblem(reply, 404, 'topology-not-found');
      expect(reply.json.detail).toContain('"up" writes it');
    },
  );

  test.each(['topology', 'topology.svg', 'layout'])('%s of a lab that is not there is 404', async (what) => {
    expectProblem(await service.get(`/labs/nowhere/${what}`), 404, 'instance-not-found');
  });

  test('a snapshot that the lab CLI cannot read is 502 with its words, and is not tried each time', async () => {
    writeFileSync(snapshot, 'no JSON at all');
    const before = inspections();
    const reply = await service.get('/labs/default/topology');
    expectProblem(reply, 502, 'lab-cli-failed');
    expect(reply.json.output).toEqual(['no JSON at all']);
    expectProblem(await service.get('/labs/default/topology.svg'), 502, 'lab-cli-failed');
    expect(inspections()).toBe(before + 1);
  });
});

describe('the picture', () => {
  test('is an SVG file that runs nothing and takes nothing from elsewhere', async () => {
    const { status, headers, text } = await service.get('/labs/default/topology.svg');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'no-cache',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; .*sandbox$/,
    );
    // The policy lets the browser use the style of the picture itself, and no other.
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hash}';`);
    expect(text).toContain('<title id="title">Lab default: 4 nodes, 3 links</title>');
    for (const word of ['r1', 'h2', 'eth2', '10.1.0.1/30', '172.16.1.4/24'])
      expect(text).toContain(`>${word}<`);
    expect(text).not.toMatch(/class="mark/);
    expect(text).not.toMatch(/<script|href|url\(|@import/);
  });

  test('shows the state of each node when it is asked for', async () => {
    const { text } = await service.get('/labs/default/topology.svg?state=true');
    expect(text.match(/class="node \w+ up"/g)).toHaveLength(4);
    expect(text).toContain('>4 up<');
    const wrong = await service.get('/labs/default/topology.svg?state=yes');
    expectProblem(wrong, 400, 'invalid-request');
    expect(wrongFields(wrong)).toEqual(['state']);
  });

  test('has an ETag that changes with the state and the positions', async () => {
    const etagOf = async (query = ''): Promise<string> =>
      String((await service.get(`/labs/default/topology.svg${query}`)).headers.etag);
    const first = await etagOf();
    expect(await etagOf()).toBe(first);
    const { status } = await service.get('/labs/default/topology.svg', { 'If-None-Match': first });
    expect(status).toBe(304);
    expect(await etagOf('?state=true')).not.toBe(first);
    await put({ nodes: { r1: { x: -500, y: 700 } } });
    expect(await etagOf()).not.toBe(first);
    await put({});
    expect(await etagOf()).toBe(first);
  });

  test('a name that is markup is text in it', async () => {
    const name = '<script>alert("1")</script>&\u0007';
    writeFileSync(snapshot, JSON.stringify({ nodes: { [name]: { id: 1, device: "'><b>" } }, links: [] }));
    const { text } = await service.get('/labs/default/topology.svg');
    expect(text).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;\uFFFD');
    expect(text).not.toMatch(/<script|<b>/);
  });
});

describe('the layout', () => {
  const somewhere = { nodes: { r1: { x: 10, y: -20.5 } }, links: { 3: { x: 0, y: 0 } } };

  test('is empty at first, then what was put', async () => {
    await put({});
    expect((await service.get('/labs/default/layout')).json).toEqual({ nodes: {}, links: {} });
    const reply = await put(somewhere);
    expect(reply).toMatchObject({ status: 200, json: somewhere });
    const read = await service.get('/labs/default/layout');
    expect(read).toMatchObject({ json: somewhere, headers: { etag: reply.headers.etag } });
  });

  test('who changes what another has changed meanwhile is refused', async () => {
    const { headers } = await put({});
    const mine = { 'If-Match': String(headers.etag) };
    const both = await Promise.all([put(somewhere, mine), put({ nodes: { r2: { x: 1, y: 1 } } }, mine)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
    const late = await put({}, mine);
    expectProblem(late, 412, 'precondition-failed');
    expect(late.json.detail).toContain('the layout has changed meanwhile');
    expect((await put(somewhere, { 'If-Match': '*' })).status).toBe(200);
  });

  test.each<[string, number, (etag: string) => string]>([
    ['is one of several', 200, (etag) => `"other", ${etag} ,"third"`],
    ['is that of another layout', 412, () => '"other"'],
    ['is a weak one', 412, (etag) => `W/${etag}`],
    ['is a part of that of the layout', 412, (etag) => etag.slice(0, -3)],
  ])('whose tag %s: %i', async (_what, status, given) => {
    const { headers } = await put({});
    expect((await put(somewhere, { 'If-Match': given(String(headers.etag)) })).status).toBe(status);
  });

  test.each([
    ['nodes.r1.x', 'must be at most 1000000', { nodes: { r1: { x: 1e7, y: 0 } } }],
    ['nodes.r1.y', 'must be a number', { nodes: { r1: { x: 1 } } }],
    ['body', 'must be an object', []],
  ])('a wrong %s is 400: %s', async (field, words, body) => {
    const reply = await put(body);
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.json.errors).toEqual([{ field, message: words }]);
  });
});

test('a lab outside LAB_API_ROOTS is listed, but nothing of its directory is read', async () => {
  const { workdir, root } = service.ground;
  const allowed = path.join(root, 'allowed');
  mkdirSync(allowed);
  symlinkSync(workdir, path.join(allowed, 'way-out'));
  const env = { LAB_API_ROOTS: allowed, LAB_API_DATA_DIR: path.join(root, 'data-of-roots') };
  const strict = await startService({ ground: service.ground, env });
  expect((await strict.get('/labs')).json.labs).toHaveLength(1);
  const before = inspections();
  for (const what of ['topology', 'topology.svg', 'layout'])
    expectProblem(await strict.get(`/labs/default/${what}`), 403, 'forbidden-path');
  expect(inspections()).toBe(before);
});
