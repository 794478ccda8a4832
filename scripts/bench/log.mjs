// Measures many followers of one log that grows fast, against one follower.
// Each row has a service of its own and a job that prints that much in about that time, once all followers are there.
// When they cannot keep up with it, they get out of step, and the service reads more.
// CPU, peak memory and bytes read are those of the service, from /proc; wall time is until the last follower has all of
// the log, and depends on this program too, which reads and checks every byte. Needs Linux.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { call } from '../lib/http.mjs';
import { cpuSecondsOf, figureOf } from '../lib/process-usage.mjs';
import { root, showTable, start } from './kit.mjs';

export const options = /** @type {const} */ ({
  followers: { type: 'string', default: '500' },
  mebibytes: { type: 'string', default: '20' },
  seconds: { type: 'string', default: '2' },
});
const mebibyte = 2 ** 20;
/** The kernel counts in steps of that. */
const shortestCpuSeconds = 0.01;
const portions = 40;
const line = 'a line of a log as long as such lines are, with € and 😀 in it';

/** @typedef {{ bytes: number, seconds: number }} Log how much, in about which time */

/** The lab CLI of this measurement: waits for `go`, then prints its portions. @param {string} directory @param {Log} log */
function labCli(directory, { bytes, seconds }) {
  const lines = Math.ceil(bytes / portions / Buffer.byteLength(`00 000000 ${line}\n`));
  return `#!/bin/sh
while [ ! -e '${directory}/go' ]; do sleep 0.05; done
for portion in $(seq -w 1 ${portions}); do
  seq -f "$portion %06.0f ${line}" 1 ${lines}
  sleep ${seconds / portions}
done
`;
}

/** Starts a service of its own; resolves once it listens. @param {string} directory @param {Log} log */
async function startIn(directory, log) {
  const cli = path.join(directory, 'lab-cli');
  writeFileSync(cli, labCli(directory, log));
  chmodSync(cli, 0o700);
  return start({ LAB_API_CLI: cli, LAB_API_DATA_DIR: path.join(directory, 'data') });
}

/** @param {string} url @param {string} directory */
async function submit(url, directory) {
  const workdir = path.join(directory, 'lab');
  mkdirSync(workdir);
  return call(`${url}/jobs`, { action: 'create', workdir, topology: 'nodes: [r1]\n' });
}

/** Feeds the text of all `log` events in the given bytes, and keeps the rest for the next. @param {(text: string) => void} feed */
function eventDecoder(feed) {
  /** @type {Buffer} */
  let rest = Buffer.alloc(0);
  return (/** @type {Buffer} */ bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const event = rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 2);
      if (event.startsWith('event: log\n')) feed(JSON.parse(event.slice(event.indexOf('\ndata: ') + 7)).log);
    }
  };
}

/**
 * Follows a log; resolves when the reply has begun, `ended` with the SHA-256 of all of the log.
 * @param {string} url
 * @param {string} kind
 */
async function follow(url, kind) {
  /** @type {Record<string, string>} */
  const headers = kind === 'events' ? { Accept: 'text/event-stream' } : {};
  const request = http.get(`${url}?follow=true`, { agent: false, headers });
  const [message] = await once(request, 'response');
  const hash = createHash('sha256');
  const feed = (/** @type {string | Buffer} */ data) => void hash.update(data);
  message.on('data', kind === 'events' ? eventDecoder(feed) : feed);
  return { ended: once(message, 'end').then(() => hash.digest('hex')) };
}

/** The resources that the process used so far. @param {number} pid */
function usage(pid) {
  return {
    ...cpuSecondsOf(pid),
    read: figureOf(pid, 'io', 'rchar') / mebibyte,
    peak: figureOf(pid, 'status', 'VmHWM') / 1024,
  };
}

/** @param {string} kind @param {number} followers @param {Log} log */
async function measure(kind, followers, log) {
  const directory = mkdtempSync(path.join(root, 'log-'));
  const service = await startIn(directory, log);
  const { pid } = service;
  try {
    const job = await submit(service.url, directory);
    const url = `${service.url}/jobs/${job.id}/log`;
    const all = await Promise.all(Array.from({ length: followers }, async () => follow(url, kind)));
    const before = usage(pid);
    const began = performance.now();
    writeFileSync(path.join(directory, 'go'), '');
    const hashes = await Promise.all(all.map(({ ended }) => ended));
    const seconds = (performance.now() - began) / 1000;
    const after = usage(pid);
    const expected = createHash('sha256').update(readFileSync(job.logPath)).digest('hex');
    return {
      seconds,
      user: after.user - before.user,
      system: after.system - before.system,
      read: after.read - before.read,
      peak: after.peak,
      identical: hashes.filter((hash) => hash === expected).length,
    };
  } finally {
    await service.end();
  }
}

/** @param {Record<keyof typeof options, string>} values @throws Error unless every follower got exactly the log */
export async function bench({ followers, mebibytes, seconds }) {
  const log = { bytes: Number(mebibytes) * mebibyte, seconds: Number(seconds) };
  const rows = [];
  let isWhole = true;
  for (const kind of ['text', 'events']) {
    let one;
    for (const count of [1, Number(followers)]) {
      const row = await measure(kind, count, log);
      one ??= row;
      const ratio = (row.user + row.system) / Math.max(one.user + one.system, shortestCpuSeconds);
      const figures = [row.seconds, row.user, row.system, ratio, row.read].map((figure) => figure.toFixed(2));
      rows.push([kind, count, ...figures, row.peak.toFixed(0), `${row.identical} of ${count}`]);
      isWhole &&= row.identical === count;
    }
  }
  showTable(
    ['', 'followers', 'wall s', 'user s', 'system s', 'CPU ×', 'read MiB', 'peak MiB', 'identical'],
    rows,
  );
  if (!isWhole) throw new Error('not every follower got the log as it is');
}
