#!/usr/bin/env node
// How much memory a service takes while a gigabyte goes in, is kept, and comes out again: as one file, as a tar.gz and as a
// zip. Bytes that cannot be made smaller, so that all of them come.
//   npm run build && scripts/upload-memory.mjs                prints what it took
//   scripts/upload-memory.mjs --check                         exit code 1 when that grows by over 128 MiB
//   scripts/upload-memory.mjs --mebibytes 100                 with less than a gigabyte
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createGzip } from 'node:zlib';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import yazl from 'yazl';
import { readOptions } from './lib/options.mjs';
import { plainEnvironment, startService } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';

const options = readOptions({
  check: { type: 'boolean', default: false },
  mebibytes: { type: 'string', default: '1024' },
});
const mebibyte = 1024 * 1024;
const size = Number(options.mebibytes) * mebibyte;
const mostGrowth = 128 * mebibyte;

const block = randomBytes(mebibyte);
function* content() {
  for (let sent = 0; sent < size; sent += block.length) yield block;
}

/** @param {number} pid */
function residentBytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function tarGz() {
  const pack = tar.pack();
  const output = new PassThrough();
  void pipeline(pack, createGzip({ level: 1 }), output);
  void pipeline(Readable.from(content()), pack.entry({ name: 'large', size })).then(() => pack.finalize());
  return output;
}

function zip() {
  const file = new yazl.ZipFile();
  file.addReadStream(Readable.from(content()), 'large', { compress: false, size });
  file.end();
  return /** @type {Readable} */ (file.outputStream);
}

/** @param {string} call such as `GET /workspaces` @param {Readable} [body] @param {string} [type] */
async function exchange(call, body, type = 'application/octet-stream') {
  const [method = '', target = ''] = call.split(' ');
  const request = http.request(service.url + target, {
    method,
    headers: body ? { 'Content-Type': type } : {},
  });
  /** @type {Promise<http.IncomingMessage>} */
  const replied = new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  if (body) await pipeline(body, request);
  else request.end();
  const reply = await replied;
  let bytes = 0;
  for await (const piece of reply) bytes += piece.length;
  if ((reply.statusCode ?? 500) >= 300) throw new Error(`${call}: ${reply.statusCode}`);
  return bytes;
}

const ground = temporaryDirectory('lab-api-upload');
const service = await startService({
  env: {
    ...plainEnvironment(),
    LAB_API_CLI: 'engine',
    LAB_API_DATA_DIR: path.join(ground, 'data'),
    LAB_HOME: path.join(ground, 'engine'),
    LAB_API_MAX_FILE_SIZE: '2GiB',
  },
});
try {
  const pid = service.child.pid ?? 0;
  await exchange('PUT /workspaces/large');
  const before = residentBytes(pid);
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, residentBytes(pid))), 50);
  /** @type {readonly [string, () => Promise<number>][]} */
  const steps = [
    ['tar.gz in', () => exchange('PUT /workspaces/large', tarGz(), 'application/gzip')],
    ['tar.gz out', () => exchange('GET /workspaces/large?format=tar.gz')],
    ['zip in', () => exchange('PUT /workspaces/large', zip(), 'application/zip')],
    ['zip out', () => exchange('GET /workspaces/large?format=zip')],
    ['file in', () => exchange('PUT /workspaces/large/files/large', Readable.from(content()))],
    ['file out', () => exchange('GET /workspaces/large/files/large')],
  ];
  for (const [name, run] of steps) {
    const startedMs = performance.now();
    await run();
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    console.log(`${name.padEnd(10)}  ${seconds.padStart(6)} s  at most ${Math.round(most / mebibyte)} MiB`);
  }
  clearInterval(timer);
  const growth = most - before;
  console.log(
    `${Math.round(size / mebibyte)} MiB each; the service grew by ${Math.round(growth / mebibyte)} MiB at most`,
  );
  if (options.check && growth > mostGrowth) {
    console.error(`that is more than ${mostGrowth / mebibyte} MiB`);
    process.exitCode = 1;
  }
} finally {
  await service.end();
}
