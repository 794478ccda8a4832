/** The files of the page for people (`/ui`): what is sent, how, and to whom. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { eventually } from '../support/eventually.ts';
import { open, request, type Reply, type RequestOptions } from '../support/http-client.ts';
import { openedBelow } from '../support/opened-below.ts';
import { expectProblem } from '../support/problem.ts';
import { repoRoot } from '../support/repo-files.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';
import { makeTeam } from '../support/team.ts';

const built = path.join(repoRoot, 'dist/dashboard');
const html = readFileSync(path.join(built, 'index.html'), 'utf8');
/** A script of the page that the build has packed. */
const script = /assets\/(index-[\w-]+\.js)/.exec(html)?.[1] ?? '';
const program = gunzipSync(readFileSync(path.join(built, 'assets', `${script}.gz`)));
/** Jest would compare half a million bytes one by one. */
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

/** As it comes: `fetch` would unpack it, and tidy up the path. */
async function ask(target: string, headers: RequestOptions['headers'] = {}, method = 'GET'): Promise<Reply> {
  return request(service.url, target, { method, ...(headers && { headers }) });
}

/** Of a server without a base path and without an identity provider. */
const served = html.replaceAll('{{base}}', '').replace('{{signOn}}', '').replace('{{signOnAlone}}', 'false');

const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'";

describe('the page', () => {
  test.each(['/ui', '/ui/', '/ui/labs/x', '/ui/jobs?state=failed', '/ui/index.html', '/ui/..', '/ui/a%2Fb'])(
    'is the same at %s, asked for each time',
    async (target) => {
      const reply = await ask(target);
      expect(reply).toMatchObject({ status: 200, text: served });
      expect(reply.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      });
      const stated = String(reply.headers['content-security-policy']);
      expect(stated).toContain(policy);
      expect(stated).toContain("frame-ancestors 'none'");
      expect(stated).not.toMatch(/script-src[^;]*unsafe|https?:|\*/);
    },
  );

  test('is not sent again to who has it', async () => {
    const { headers } = await ask('/ui/');
    const again = await ask('/ui/', { 'If-None-Match': String(headers.etag) });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers['content-security-policy']).toContain(policy);
    expect(await ask('/ui/', { 'If-None-Match': '"another"' })).toMatchObject({ status: 200 });
  });

  test('has no script in it, and names no other host', () => {
    expect(html).not.toMatch(/<script(?![^>]* src=)|\son\w+=|(?:src|href)="(?:https?:)?\/\//);
  });

  test('below a base path finds its files and the API there', async () => {
    const based = await startService({ env: { LAB_API_BASE_PATH: '/a/lab' } });
    const reply = await request(based.url, '/ui/jobs');
    expect(reply.text).toContain('<base href="/a/lab/ui/" />');
    expect(digest((await request(based.url, `/ui/assets/${script}`)).bytes)).toBe(digest(program));
    const root = new URL(based.url).origin;
    for (const target of ['/ui/', `/ui/assets/${script}`])
      expectProblem(await request(root, target), 404, 'not-found');
    const sent = await request(based.url, '/', { headers: { Accept: 'text/html' } });
    expect(sent).toMatchObject({ status: 302, headers: { location: '/a/lab/ui/' } });
  });

  test('says of which build it is, as the service does', async () => {
    const reply = await ask('/ui/build.json');
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(html).toContain(`<meta name="lab-api-build" content="${String(reply.json.build)}">`);
    expect(String(reply.json.build)).toMatch(/^[0-9a-f]{12}$/);
  });
});

describe('a browser at the bare address', () => {
  test.each([
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 302],
    ['*/*', 200],
    ['application/json', 200],
    ['application/json, text/html;q=0.9', 200],
  ])('that asks for %s gets %d', async (accept, status) => {
    const reply = await ask('/', { Accept: accept });
    expect(reply.status).toBe(status);
    expect(reply.headers['vary']).toContain('Accept');
  });
});

describe('a file of the page', () => {
  const target = `/ui/assets/${script}`;

  test.each([
    [undefined, undefined],
    ['identity', undefined],
    ['', undefined],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['gzip', 'gzip'],
    ['br', undefined],
    ['br, gzip;q=0.1', 'gzip'],
    ['*', 'gzip'],
    ['*;q=0', undefined],
    ['gzip;q=0, *', undefined],
    ['identity, gzip;q=0.5', 'gzip'],
    ['zstd', undefined],
    [',;=q', undefined],
  ])('for a client that reads %j is packed as %j', async (accepted, encoding) => {
    const reply = await ask(target, accepted === undefined ? {} : { 'Accept-Encoding': accepted });
    expect(reply.status).toBe(200);
    expect(reply.headers['content-encoding']).toBe(encoding);
    expect(digest(encoding === 'gzip' ? gunzipSync(reply.bytes) : reply.bytes)).toBe(digest(program));
    expect(reply.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(reply.bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
  });

  test('that is too small to be packed comes as it is', async () => {
    const [, icon = ''] = /assets\/(icon-[\w-]+\.svg)/.exec(html) ?? [];
    const reply = await ask(`/ui/assets/${icon}`, { 'Accept-Encoding': 'gzip' });
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'image/svg+xml' } });
    expect(reply.headers['content-encoding']).toBeUndefined();
  });

  test('answers HEAD with the same headers', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const [whole, head] = [await ask(target, headers), await ask(target, headers, 'HEAD')];
    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of [
      'content-length',
      'content-encoding',
      'cache-control',
      'content-type',
      'last-modified',
    ])
      expect(head.headers[name]).toBe(whole.headers[name]);
  });

  test('is not sent again to who has it, and is never sent in pieces', async () => {
    const { headers } = await ask(target);
    const since = String(headers['last-modified']);
    expect(await ask(target, { 'If-Modified-Since': since })).toMatchObject({ status: 304, text: '' });
    const part = await ask(target, { Range: 'bytes=0-9' });
    expect(part.status).toBe(200);
    expect(digest(part.bytes)).toBe(digest(program));
  });
});

describe('what is no file of the page', () => {
  test.each([
    '/ui/assets/',
    '/ui/assets',
    '/ui/assets/nothing.js',
    '/ui/assets/..',
    '/ui/assets/.',
    '/ui/assets/../index.html',
    '/ui/assets/..%2findex.html',
    '/ui/assets/%2e%2e%2findex.html',
    '/ui/assets/%2e%2e/index.html',
    '/ui/assets/..%5cindex.html',
    '/ui/assets/..\\index.html',
    '/ui/assets//etc/passwd',
    '/ui/assets/%2fetc%2fpasswd',
    '/ui/assets/.hidden',
    `/ui/assets/${script}%00.js`,
    `/ui/assets/${script}/`,
    `/ui/assets/${script}/x`,
    `/ui/assets/x/${script}`,
    `/ui/assets/${script}:stream`,
    `/ui/assets/${'a'.repeat(3000)}.js`,
    '/ui/assets/constructor',
    '/ui/assets/%F0%9F%98%80.js',
    '/ui/assets/a b.js',
  ])('%s is not found, and nobody keeps that', async (target) => {
    const reply = await ask(target, { 'Accept-Encoding': 'gzip' }).catch(() => undefined);
    // Not even a request, for Node's own client.
    if (reply === undefined) return expect(target).toMatch(/[ \\]/);
    expectProblem(reply, 404, 'not-found');
    expect(reply.headers['cache-control'] ?? '').not.toMatch(/immutable|max-age=[1-9]/);
    expect(reply.headers).not.toHaveProperty('content-encoding');
    expect(reply.headers['x-content-type-options']).toBe('nosniff');
  });

  test('a name that is no text is a mistake', async () => {
    expectProblem(await ask('/ui/assets/%E0%A4%A'), 400, 'invalid-request');
  });
});

test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])('%s is not possible', async (method) => {
  for (const target of ['/ui', '/ui/', `/ui/assets/${script}`, '/ui/build.json']) {
    const reply = await ask(target, {}, method);
    expect({ status: reply.status, allow: reply.headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
  }
});

describe('whoever asks', () => {
  test('needs no login for the page, and learns nothing else', async () => {
    const ground = makeGround();
    const team = await makeTeam(ground.root);
    const closed = await startService({ ground, env: team.env });
    for (const target of ['/ui/', '/ui/build.json', `/ui/assets/${script}`])
      expect((await request(closed.url, target)).status).toBe(200);
    expect((await request(closed.url, '/ui/')).text).toBe(served);
    for (const target of ['/uix', '/', '/jobs', '/ui%2f..%2fjobs', '/x/ui/'])
      expectProblem(await request(closed.url, target), 401, 'unauthorized');
  });

  test('by a name that is not of this server gets the page, and nothing of the API', async () => {
    const headers = { Host: 'evil.example' };
    expect((await ask('/ui/', headers)).status).toBe(200);
    expectProblem(await ask('/session', headers), 403, 'forbidden-host');
  });
});

test('clients that go away in the middle leave no file open', async () => {
  for (let nth = 0; nth < 50; nth += 1) {
    const reply = await open(service.url, `/ui/assets/${script}`);
    reply.destroy();
  }
  await eventually('no file is open', () => openedBelow(built).length === 0);
});
