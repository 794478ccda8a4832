// How much memory a service takes while a gigabyte goes in, is kept, and comes out again: as one file, as a tar.gz and as a
// zip. Bytes that cannot be made smaller, so that all of them come. Target: the service grows by 128 MiB at most.
// Then a workspace gets as many files as a lab can make. Target: an upload of one byte into another takes a second at most, and
// others wait for 200 ms at most.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createGzip } from 'node:zlib';
import { PassThrough, Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import tar from 'tar-stream';
import yazl from 'yazl';
import { figureOf } from '../lib/process-usage.mjs';
import { say } from '../lib/words.mjs';
import { root, start, target, timed, waits } from './kit.mjs';

export const options = /** @type {const} */ ({
  mebibytes: { type: 'string', default: '1024' },
  files: { type: 'string', default: '200000' },
});

const mebibyte = 1024 * 1024;
const mostGrowthMiB = 128;
const mostWaitMs = 1000;
const mostOthersWaitMs = 200;
const block = randomBytes(mebibyte);

/** @param {number} size */
function* content(size) {
  for (let sent = 0; sent < size; sent += block.length) yield block;
}

/** @param {number} size */
function tarGz(size) {
  const pack = tar.pack();
  const output = new PassThrough();
  void pipeline(pack, createGzip({ level: 1 }), output);
  void pipeline(Readable.from(content(size)), pack.entry({ name: 'large', size })).then(() =>
    pack.finalize(),
  );
  return output;
}

/** @param {number} size */
function zip(size) {
  const file = new yazl.ZipFile();
  file.addReadStream(Readable.from(content(size)), 'large', { compress: false, size });
  file.end();
  return /** @type {Readable} */ (file.outputStream);
}

/** @param {string} call such as `GET http://…/workspaces` @param {Readable} [body] @param {string} [type] */
async function exchange(call, body, type = 'application/octet-stream') {
  const [method = '', url = ''] = call.split(' ');
  const request = http.request(url, {
    method,
    headers: body ? { 'Content-Type': type } : {},
    // A kept connection may have ended while this program made files.
    agent: false,
  });
  /** @type {Promise<http.IncomingMessage>} */
  const replied = new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  if (body) await pipeline(body, request);
  else request.end();
  const reply = await replied;
  await finished(reply.resume());
  if ((reply.statusCode ?? 500) >= 300) throw new Error(`${call}: ${reply.statusCode}`);
}

/** As a lab does, without the service. @param {string} workspace @param {number} count */
function makeFiles(workspace, count) {
  for (let made = 0; made < count; made += 1) {
    const directory = path.join(workspace, String(Math.floor(made / 1000)));
    if (made % 1000 === 0) mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, String(made)), '');
  }
}

/** @param {{ mebibytes: string, files: string }} values */
export async function bench({ mebibytes, files }) {
  const size = Number(mebibytes) * mebibyte;
  const { url, pid } = await start({
    LAB_API_CLI: 'engine',
    LAB_API_DATA_DIR: path.join(root, 'data'),
    LAB_API_MAX_FILE_SIZE: '2GiB',
  });
  const residentMiB = () => figureOf(pid, 'status', 'VmRSS') / 1024;
  const place = `${url}/workspaces/large`;
  await exchange(`PUT ${place}`);
  const before = residentMiB();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, residentMiB())), 50);
  /** @type {readonly [string, () => Promise<void>][]} */
  const steps = [
    ['tar.gz in', () => exchange(`PUT ${place}`, tarGz(size), 'application/gzip')],
    ['tar.gz out', () => exchange(`GET ${place}?format=tar.gz`)],
    ['zip in', () => exchange(`PUT ${place}`, zip(size), 'application/zip')],
    ['zip out', () => exchange(`GET ${place}?format=zip`)],
    ['file in', () => exchange(`PUT ${place}/files/large`, Readable.from(content(size)))],
    ['file out', () => exchange(`GET ${place}/files/large`)],
  ];
  for (const [name, run] of steps) {
    const seconds = ((await timed(run)) / 1000).toFixed(1);
    say(`${name.padEnd(10)}  ${seconds.padStart(6)} s  at most ${Math.round(most)} MiB`);
  }
  clearInterval(timer);
  const growth = Math.round(most - before);
  target(
    `${mebibytes} MiB each; the service grew by ${growth} MiB (at most ${mostGrowthMiB})`,
    growth <= mostGrowthMiB,
  );
  makeFiles(path.join(root, 'data', 'workspaces', 'many'), Number(files));
  const upload = () => exchange(`PUT ${place}/files/byte`, Readable.from([Buffer.from('1')]));
  const { took, longest } = await waits(url, upload);
  target(
    `one byte beside ${files} files: ${Math.round(took)} ms (at most ${mostWaitMs})`,
    took <= mostWaitMs,
  );
  target(
    `others wait for ${Math.round(longest)} ms meanwhile (at most ${mostOthersWaitMs})`,
    longest <= mostOthersWaitMs,
  );
}
