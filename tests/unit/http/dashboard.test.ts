/** A build under a running service, and what lies beside it on the disk. */
import { beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { dashboard } from '../../../src/http/dashboard.ts';
import { errors } from '../../../src/http/middleware/errors.ts';
import { requestId } from '../../../src/http/middleware/request-id.ts';
import { request } from '../../support/http-client.ts';
import { listeners } from '../../support/listening.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { expectProblem } from '../../support/problem.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const listen = listeners();
let directory: string;
let place: string;
let url: string;
beforeEach(async () => {
  directory = mkdtempSync(path.join(root, 'case-'));
  place = path.join(directory, 'dashboard');
  const app = express()
    .use(requestId)
    .use(dashboard({ basePath: '' }, place))
    .use(errors(new MemoryLogger()));
  url = `http://127.0.0.1:${await listen(http.createServer(app))}`;
});

function build(version: string): void {
  const fresh = path.join(directory, version);
  mkdirSync(path.join(fresh, 'assets'), { recursive: true });
  writeFileSync(path.join(fresh, 'index.html'), `<base href="{{base}}/ui/"> ${version}`);
  writeFileSync(path.join(fresh, 'build.json'), JSON.stringify({ build: version }));
  writeFileSync(path.join(fresh, 'assets', `index-${version}.js`), version);
  renameSync(fresh, place);
}

test('the page has no other files beside it, packed or not, and no folder for a file', async () => {
  mkdirSync(path.join(place, 'assets', 'folder.js.gz'), { recursive: true });
  writeFileSync(path.join(directory, 'secret.js.gz'), gzipSync('secret'));
  writeFileSync(path.join(place, 'secret.js.gz'), gzipSync('secret'));
  for (const name of ['..%2f..%2fsecret.js', '..%2fsecret.js', '%2e%2e%2fsecret.js', 'folder.js'])
    for (const accepted of ['identity', 'gzip']) {
      const reply = await request(url, `/ui/assets/${name}`, { headers: { 'Accept-Encoding': accepted } });
      expectProblem(reply, 404, 'not-found');
      expect(reply.headers).not.toHaveProperty('content-encoding');
    }
});

test('a build is served from its first moment on; what it has no more is not found', async () => {
  expectProblem(await request(url, '/ui/'), 404, 'not-found');
  expectProblem(await request(url, '/ui/build.json'), 404, 'not-found');
  build('one');
  expect((await request(url, '/ui/')).text).toContain('one');
  expect((await request(url, '/ui/assets/index-one.js')).text).toBe('one');
  const { headers } = await request(url, '/ui/');
  renameSync(place, path.join(directory, 'former'));
  expectProblem(await request(url, '/ui/assets/index-one.js'), 404, 'not-found');
  build('two');
  const again = await request(url, '/ui/', { headers: { 'If-None-Match': String(headers.etag) } });
  expect(again).toMatchObject({ status: 200, text: '<base href="/ui/"> two' });
  expect((await request(url, '/ui/build.json')).json).toEqual({ build: 'two' });
  expectProblem(await request(url, '/ui/assets/index-one.js'), 404, 'not-found');
});
