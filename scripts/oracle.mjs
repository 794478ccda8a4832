#!/usr/bin/env node
// Runs netlab's own topologies with FRR routers, in namespaces and with Docker and containerlab, and compares:
//   npm run build && scripts/oracle.mjs DIRECTORY [--only bgp/01,isis] [--runtimes namespaces,containers] [--json FILE]
// DIRECTORY is tests/integration of netlab's repository (https://github.com/ipspace/netlab), or its examples
// (https://github.com/ipspace/netlab-examples); the script works on a copy.
// Each topology is started ("netlab up -p clab -d frr"), tested ("netlab validate") if it has tests, and stopped. The table has
// the outcome and the seconds of "up" for each runtime. Exit code 1 when one passes with containers and fails in namespaces.
// Needs root, netlab on PATH and FRR; Docker and containerlab only for their column.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { showTable } from './bench/kit.mjs';
import { netlabRuns } from './lib/netlab-runs.mjs';
import { readArguments } from './lib/options.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';
import { say } from './lib/words.mjs';

const { values, positionals } = readArguments({
  only: { type: 'string' },
  runtimes: { type: 'string', default: 'namespaces,containers' },
  json: { type: 'string' },
});
const [given] = positionals;
if (given === undefined) {
  process.stderr.write(
    'usage: scripts/oracle.mjs DIRECTORY [--only NAMES] [--runtimes NAMES] [--json FILE]\n',
  );
  process.exit(2);
}
const root = temporaryDirectory('lab-api-oracle');
const ground = path.join(root, 'tests');
const run = netlabRuns(root);
const limits = { up: 180_000, validate: 240_000, down: 60_000 };
let isInterrupted = false;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.on(signal, () => (isInterrupted = true));

/** The line that tells why. @param {string} printed */
function reasonIn(printed) {
  const lines = printed.split('\n').map((line) => line.trim());
  const telling = lines.find((line) =>
    /^\[FAIL\]|Fatal error in lab|IncorrectValue|IncorrectAttr|not support/i.test(line),
  );
  return (telling ?? lines.findLast((line) => line !== '') ?? '').slice(0, 90);
}

/** @typedef {{ outcome: string, seconds: number, reason: string }} Result */

const hasTests = (/** @type {string} */ file) =>
  /^validate:/m.test(readFileSync(path.join(ground, file), 'utf8'));

/** @param {string} file @param {string} runtime @returns {Promise<Result>} */
async function play(file, runtime) {
  const directory = path.dirname(path.join(ground, file));
  const netlab = async (/** @type {keyof typeof limits} */ command, /** @type {string[]} */ ...args) =>
    run(directory, runtime, [command, ...args], limits[command]);
  const up = await netlab('up', path.basename(file), '-p', 'clab', '-d', 'frr');
  try {
    if (up.code !== 0) return { outcome: 'up failed', seconds: up.seconds, reason: reasonIn(up.printed) };
    if (!hasTests(file)) return { outcome: 'started', seconds: up.seconds, reason: '' };
    const tests = await netlab('validate');
    // 3: nothing failed, and there are warnings (netsim/cli/validate/__init__.py).
    if (tests.code === 0 || tests.code === 3) return { outcome: 'passed', seconds: up.seconds, reason: '' };
    return { outcome: 'failed', seconds: up.seconds, reason: reasonIn(tests.printed) };
  } finally {
    await netlab('down', '--cleanup', '--force');
  }
}

/** The files below the directory that are called `topology.yml`, or have tests; without `x-…` of netlab's tests. */
function topologies() {
  const files = readdirSync(ground, { recursive: true, encoding: 'utf8' });
  const wanted = values.only?.split(',');
  return files
    .filter(
      (file) =>
        file.endsWith('.yml') &&
        !/(?:^|\/)(?:x-|(?:group|host)_vars\/)/.test(file) &&
        (path.basename(file) === 'topology.yml' || hasTests(file)),
    )
    .filter((file) => wanted === undefined || wanted.some((start) => file.startsWith(start)))
    .toSorted();
}

cpSync(given, ground, { recursive: true });
const runtimes = values.runtimes.split(',');
/** @type {Record<string, Record<string, Result>>} */
const results = {};
for (const file of topologies()) {
  if (isInterrupted) break;
  /** @type {Record<string, Result>} */
  const row = {};
  for (const runtime of runtimes) row[runtime] = await play(file, runtime);
  results[file] = row;
  const words = runtimes.map(
    (runtime) => `${runtime} ${row[runtime]?.outcome} (${row[runtime]?.seconds.toFixed(1)} s)`,
  );
  process.stderr.write(`${file}: ${words.join(', ')}\n`);
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
const rows = Object.entries(results).map(([file, row]) => [
  file,
  ...runtimes.map((runtime) => `${row[runtime]?.outcome}, ${row[runtime]?.seconds.toFixed(1)} s`),
  Object.values(row).find(({ reason }) => reason !== '')?.reason ?? '',
]);
showTable(['topology', ...runtimes, 'reason'], rows);
const isGood = (/** @type {Result | undefined} */ result) =>
  result?.outcome === 'passed' || result?.outcome === 'started';
const all = Object.values(results);
const passed = (/** @type {string} */ runtime) => all.filter((row) => isGood(row[runtime])).length;
say(
  `${all.length} topologies; passed or started: ${runtimes.map((runtime) => `${passed(runtime)} (${runtime})`).join(', ')}`,
);
const worse = Object.entries(results).filter(
  ([, row]) => isGood(row['containers']) && !isGood(row['namespaces']),
);
for (const [file] of worse) say(`✗ ${file} passes with containers only`);
process.exit(worse.length > 0 || isInterrupted ? 1 : 0);
