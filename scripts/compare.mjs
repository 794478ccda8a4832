#!/usr/bin/env node
// Measures lab-api beside other servers for labs, as they are after their installation: how long a start takes, memory at rest,
// requests a second of a list of three labs, the size on disk. The same machine, in turns, the same client.
//   rm -rf dist && npm run build && PATH=/opt/netlab/bin:$PATH scripts/compare.mjs    lab-api and `netlab api`
//     --gns3server FILE        also GNS3: `gns3server` of a virtual environment with the package gns3-server
//     --clab-api-server FILE   also clab-api-server, without its list, which needs Docker; version 0.1.11 needs containerlab on PATH
//     --rounds 5               figures are medians of so many tries
//     --record                 puts the table into docs/comparison.md; needs all four
// Let nothing else use the machine. No lab runs: the status of netlab gets three entries, and GNS3 three projects. clab-api-server
// listens on all addresses while this runs, and lets no user in.
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startBare } from './bench/http/servers.mjs';
import { ask, medianOf, ratioOf, roundsOf } from './bench/http/rounds.mjs';
import { atEnd, endAll, median, progress, root as temporary } from './bench/kit.mjs';
import { clabApiServer, directoryIn, gns3server, labApi, netlabApi } from './compare/servers.mjs';
import { readOptions } from './lib/options.mjs';
import { figureOf } from './lib/process-usage.mjs';
import { record } from './lib/recorded-part.mjs';
import { root } from './lib/service.mjs';
import { interrupted, messageOf, must, say } from './lib/words.mjs';

/** @typedef {import('./compare/servers.mjs').Peer} Peer */
/** @typedef {import('./compare/servers.mjs').Running} Running */
/** @typedef {{ ms: number[], mebibytes: number[] }} Starts */

const options = readOptions({
  gns3server: { type: 'string' },
  'clab-api-server': { type: 'string' },
  rounds: { type: 'string', default: '5' },
  record: { type: 'boolean', default: false },
});
const rounds = Number(options.rounds);
const [loadBefore = NaN] = os.loadavg();
const connections = 4;
/** Of each load: some times as long as lab-api keeps a list. */
const seconds = 6;
/** How long each rests at least before its memory is read: some return what the start needed after some seconds. */
const restMs = 20_000;

function netlabOnPath() {
  const places = (process.env.PATH ?? '').split(path.delimiter).map((place) => path.join(place, 'netlab'));
  const file = places.find((place) => existsSync(place));
  must(file, 'netlab is not on PATH');
  return file;
}

/** @returns {Peer[]} */
function peersHere() {
  const { gns3server: gns3, 'clab-api-server': clab } = options;
  must(!options.record || (gns3 && clab), '--record needs --gns3server and --clab-api-server');
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const peers = [
    labApi(directoryIn(temporary, 'lab-api'), version),
    netlabApi(directoryIn(temporary, 'netlab'), netlabOnPath()),
  ];
  if (clab !== undefined) peers.push(clabApiServer(directoryIn(temporary, 'clab'), path.resolve(clab)));
  if (gns3 !== undefined) peers.push(gns3server(directoryIn(temporary, 'gns3'), path.resolve(gns3)));
  return peers;
}

/** The memory of a process and all below it. @param {number} pid @returns {number} */
function mebibytesOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce(
    (sum, child) => sum + mebibytesOf(Number(child)),
    figureOf(pid, 'status', 'VmRSS') / 1024,
  );
}

/** @param {Peer} peer */
async function started(peer) {
  const began = performance.now();
  const running = await peer.start();
  const ms = performance.now() - began;
  atEnd(running.end);
  return { running, ms };
}

/** Starts all, one after the other, as often as there are rounds. @param {readonly Peer[]} peers */
async function measureStarts(peers) {
  /** @type {Map<Peer, Starts>} */
  const starts = new Map(peers.map((peer) => [peer, { ms: [], mebibytes: [] }]));
  // The first round makes the files that a new installation lacks.
  for (let round = 0; round <= rounds; round += 1) {
    progress(`start ${round} of ${rounds}`);
    /** @type {Map<Peer, Running>} */
    const all = new Map();
    for (const peer of round % 2 === 0 ? peers : peers.toReversed()) {
      const { running, ms } = await started(peer);
      all.set(peer, running);
      if (round > 0) starts.get(peer)?.ms.push(ms);
    }
    if (round > 0) await delay(restMs);
    for (const [peer, { pid, end }] of all) {
      if (round > 0) starts.get(peer)?.mebibytes.push(mebibytesOf(pid));
      await end();
    }
  }
  return starts;
}

/** @typedef {Map<string, import('./bench/http/rounds.mjs').Target>} Targets */

/** How often each answers for its list, beside bare Express, which sends as much as the longest. @param {Targets} targets */
async function measureRates(targets) {
  let most = 0;
  for (const { url, headers } of targets.values()) {
    const { bytes, status } = await ask(url, headers);
    must(status === 200, `${url} is answered ${status}`);
    most = Math.max(most, bytes);
  }
  const bare = await startBare('express', most);
  /** @type {Targets} */
  const all = new Map(targets);
  all.set('bare Express', bare);
  const loads = await roundsOf(all, { seconds, rounds, connections });
  await bare.end();
  return loads;
}

/** How long one request for the list takes when an answer from memory is not wanted; by name. @param {Targets} targets */
async function measureFresh(targets) {
  /** @type {Map<string, number>} */
  const ms = new Map();
  for (const [name, { url, headers }] of targets) {
    /** @type {number[]} */
    const all = [];
    for (let round = 0; round < rounds; round += 1)
      all.push((await ask(url, { ...headers, 'Cache-Control': 'no-cache' })).seconds * 1000);
    ms.set(name, median(all));
  }
  return ms;
}

/** Starts all that have a list. @param {readonly Peer[]} peers */
async function startLists(peers) {
  /** @type {Targets} */
  const targets = new Map();
  for (const peer of peers) {
    if (peer.list === undefined) continue;
    const { url, pid } = (await started(peer)).running;
    const headers = (await peer.prepare?.(url)) ?? {};
    targets.set(peer.name, { url: `${url}${peer.list}`, pid, headers });
  }
  return targets;
}

/** @param {number} value */
const rounded = (value) => (value < 10 ? value.toFixed(1) : value.toFixed(0));

/** @param {import('./bench/http/rounds.mjs').Loads} loads @param {Peer} peer */
function rateCell(loads, { name }) {
  const own = loads.get(name);
  if (own === undefined) return 'not measured';
  return `${rounded(medianOf(own, 'perSecond'))} a second (${ratioOf(loads, name, 'perSecond').toPrecision(2)} ×)`;
}

/** @param {ReadonlyMap<string, number>} fresh @param {Peer} peer */
function freshCell(fresh, { name }) {
  const ms = fresh.get(name);
  return ms === undefined ? 'not measured' : `${rounded(ms)} ms`;
}

/** The versions and the machine, for the sentence before the table. */
function circumstances() {
  const day = new Date().toISOString().slice(0, 10);
  const busy = `a load average of ${loadBefore.toFixed(1)} before the start`;
  return `Recorded on ${day} with Node ${process.versions.node} on ${os.availableParallelism()} processors, with ${busy}; medians of ${rounds} tries.`;
}

async function compare() {
  const peers = peersHere();
  const starts = await measureStarts(peers);
  const targets = await startLists(peers);
  progress('lists');
  const rates = await measureRates(targets);
  const fresh = await measureFresh(targets);
  const startsOf = (/** @type {Peer} */ peer) => starts.get(peer) ?? { ms: [], mebibytes: [] };
  /** @type {Record<string, (peer: Peer) => string>} */
  const rows = {
    '': ({ name }) => name,
    '---': () => '---',
    'start, up to the first answer': (peer) => `${median(startsOf(peer).ms).toFixed(0)} ms`,
    'memory at rest': (peer) => `${median(startsOf(peer).mebibytes).toFixed(0)} MiB`,
    'the list of labs': ({ list }) => (list === undefined ? '' : `\`GET ${list}\``),
    'its requests, of four clients': (peer) => rateCell(rates, peer),
    'one with `Cache-Control: no-cache`': (peer) => freshCell(fresh, peer),
    installed: ({ bytes }) => `${(bytes() / 2 ** 20).toFixed(0)} MiB`,
  };
  const table = Object.entries(rows)
    .map(([head, cell]) => `| ${[head, ...peers.map(cell)].join(' | ')} |`)
    .join('\n');
  const express = rounded(medianOf(rates.get('bare Express') ?? [], 'perSecond'));
  const text = `${circumstances()} “×” is against a bare Express application in the same rounds: ${express} requests a second.\n\n${table}`;
  say(text);
  if (options.record) await record('comparison.md', 'scripts/compare.mjs', text);
}

try {
  await Promise.race([compare(), interrupted()]);
} catch (error) {
  process.stderr.write(`compare: ${messageOf(error)}\n`);
  process.exitCode = 1;
} finally {
  await endAll();
}
process.exit();
