// How long a new connection waits while many clients begin to follow one long log, and while all of them read it. At each moment, the
// log has not begun to come for 600 of them at most (--at-once).
// The lab CLI prints the log, and waits: the job runs on. One client after the other asks for /healthz, each on a connection of its
// own, from before the first follower connects until some seconds after the log has begun to come for the last one.
// Target: none of them waits for more than 200 ms. On a machine where one waits for 100 ms before, nothing is measured. The followers
// are in another thread and take all that comes; the machine needs two processors, and two descriptors for each follower.
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { call } from '../lib/http.mjs';
import { processorSeconds, progress, root, showTable, start, target } from './kit.mjs';

export const options = /** @type {const} */ ({
  followers: { type: 'string', default: '5000' },
  mebibytes: { type: 'string', default: '100' },
  'at-once': { type: 'string', default: '600' },
  seconds: { type: 'string', default: '3' },
});
const limitMs = 200;
/** For everything else that the service and this program have open. */
const otherDescriptors = 500;
const line = 'a line of a log as long as such lines are, with € and 😀 in it';

/** So many as the descriptors of one process suffice for. @param {number} wanted */
function possible(wanted) {
  const [, limit = '1024'] =
    /^Max open files +\d+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Math.min(wanted, Number(limit) - otherDescriptors);
}

/** A service and a job that has printed so much. @param {number} bytes */
async function running(bytes) {
  const directory = mkdtempSync(path.join(root, 'followers-'));
  const cli = path.join(directory, 'lab-cli');
  const lines = Math.ceil(bytes / Buffer.byteLength(`00000000 ${line}\n`));
  writeFileSync(cli, `#!/bin/sh\nseq -f "%08.0f ${line}" 1 ${lines}\nexec sleep 600\n`);
  chmodSync(cli, 0o700);
  const data = path.join(directory, 'data');
  const service = await start({ LAB_API_CLI: cli, LAB_API_DATA_DIR: data });
  const workdir = path.join(directory, 'lab');
  mkdirSync(workdir);
  const { id } = await call(`${service.url}/jobs`, { action: 'create', workdir, topology: 'nodes: [r1]\n' });
  while ((await call(`${service.url}/jobs/${id}`)).logSize < bytes) await delay(100);
  return { ...service, log: `${service.url}/jobs/${id}/log` };
}

/** How long a reply takes on a new connection, in ms. @param {string} url */
async function newConnection(url) {
  const startMs = performance.now();
  const [reply] = await once(http.get(`${url}/healthz`, { agent: false }), 'response');
  await once(reply.resume(), 'end');
  return performance.now() - startMs;
}

/** The longest wait of a new connection until `isOver` is done. @param {string} url @param {Promise<unknown>} isOver */
async function longestWait(url, isOver) {
  const over = new AbortController();
  const ended = isOver.finally(() => over.abort());
  let longest = 0;
  while (!over.signal.aborted) {
    longest = Math.max(longest, await newConnection(url));
    await delay(5);
  }
  await ended;
  return longest;
}

/** @param {string} accept @param {number} count @param {{ mebibytes: number, atOnce: number, seconds: number }} play */
async function measure(accept, count, { mebibytes, atOnce, seconds }) {
  const service = await running(mebibytes * 2 ** 20);
  const before = await longestWait(service.url, delay(1000));
  const usedBefore = processorSeconds(service.pid);
  const beganMs = performance.now();
  const crowd = new Worker(new URL('followers/crowd.mjs', import.meta.url), {
    workerData: { url: service.log, accept, count, atOnce },
  });
  let begunMs = NaN;
  let used = NaN;
  const begun = once(crowd, 'message').then(async () => {
    begunMs = performance.now() - beganMs;
    used = processorSeconds(service.pid) - usedBefore;
    await delay(seconds * 1000);
  });
  const during = await longestWait(service.url, begun);
  await crowd.terminate();
  await service.end();
  return { before, during, begunMs, used };
}

/** @param {Record<keyof typeof options, string>} values */
export async function bench({ followers, mebibytes, 'at-once': atOnce, seconds }) {
  const count = possible(Number(followers));
  const play = { mebibytes: Number(mebibytes), atOnce: Number(atOnce), seconds: Number(seconds) };
  if (count < Number(followers)) progress(`descriptors suffice for ${count} followers`);
  const rows = [];
  for (const accept of ['text/plain', 'text/event-stream']) {
    progress(`${count} followers: ${accept}`);
    rows.push({ accept, ...(await measure(accept, count, play)) });
  }
  showTable(
    [
      `${count} followers`,
      'before, ms',
      'new connection waited, ms',
      'all begun after s',
      'CPU until then, s',
    ],
    rows.map(({ accept, before, during, begunMs, used }) => [
      accept,
      before.toFixed(0),
      during.toFixed(0),
      (begunMs / 1000).toFixed(2),
      used.toFixed(2),
    ]),
  );
  for (const { accept, before, during } of rows)
    target(
      `${accept}: a new connection waits for ${limitMs} ms at most`,
      before < limitMs / 2 ? during <= limitMs : undefined,
    );
}
