#!/usr/bin/env node
// Measures a cluster on this machine, on the built program: npm run build && scripts/bench-cluster.mjs [--check]
//   scripts/bench-cluster.mjs [--services N] [--simulated N] [--jobs N] [--rate N] [--reads N] [--check]
// Services are whole ones, each a process, and are asked. Simulated hosts are lighter: processes with the code of the cluster
// alone (dist/modules/cluster), which take jobs into memory, where they wait and never run. All jobs go to simulated hosts, at
// --rate submissions a second through the services in turn. Then jobs of a service are read through itself and another one.
// Prints what a submission takes, how long a job is on its way to its host, the memory of Redis per job, and what asking the wrong
// host costs, with the number of cores. With --check, exit code 1 when a (generous) limit is missed.
import os from 'node:os';
import Table from 'cli-table3';
import { answersOf, startCluster } from './bench-cluster/hosts.mjs';
import { offerJobs, readBoth } from './bench-cluster/load.mjs';
import { interrupted } from './lib/interrupted.mjs';
import { median } from './lib/median.mjs';
import { readOptions } from './lib/options.mjs';
import { figureOf } from './lib/process-usage.mjs';
import { failed, say } from './lib/words.mjs';

const options = readOptions({
  services: { type: 'string', default: '3' },
  simulated: { type: 'string', default: '47' },
  jobs: { type: 'string', default: '10000' },
  rate: { type: 'string', default: '200' },
  reads: { type: 'string', default: '1000' },
  check: { type: 'boolean', default: false },
});

/** Generous: they tell of a mistake, not of a slow machine. */
const limits = { wrongHost: 10, bytesPerJob: 4096 };

/** @param {readonly number[]} numbers @param {number} part */
function quantile(numbers, part) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

/** @param {readonly number[]} numbers */
const spread = (numbers) =>
  [0.5, 0.99, 1].map((part) => `${quantile(numbers, part).toFixed(1)} ms`).join(' / ');

/** @param {import('ioredis').Redis} redis */
async function memoryOf(redis) {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}

/** @param {import('ioredis').Redis} redis */
async function rowsOf(redis) {
  let rows = 0;
  let bytes = 0;
  for (const key of await redis.keys('lab-api:jobs:*')) {
    rows += await redis.zcard(key);
    bytes += Number(await redis.memory('USAGE', key, 'SAMPLES', 0));
  }
  return { rows, bytes };
}

/** @param {readonly (number | undefined)[]} pids */
function residentMiB(pids) {
  const sizes = pids.flatMap((pid) => (pid === undefined ? [] : [figureOf(pid, 'status', 'VmRSS')]));
  return `${(median(sizes) / 1024).toFixed(0)} MiB`;
}

/** @param {Awaited<ReturnType<typeof startCluster>>} cluster */
async function benchAll(cluster) {
  const { services, simulated, redis } = cluster;
  const [count, rate, reads] = [Number(options.jobs), Number(options.rate), Number(options.reads)];
  const before = await memoryOf(redis);
  say(`${count} jobs, ${rate} a second`);
  const { took, refused, seconds } = await offerJobs(services, { count, rate });
  const grown = (await memoryOf(redis)) - before;
  const { rows, bytes } = await rowsOf(redis);
  const taken = await answersOf(simulated);
  const held = taken.map(({ jobs }) => jobs);
  const wrong = await readBoth(services, reads);
  const ratio = median(wrong.through) / median(wrong.owner);
  const table = new Table({ style: { head: [], border: [] }, colAligns: ['left', 'right'] });
  const pids = (/** @type {readonly { child: import('node:child_process').ChildProcess }[]} */ all) =>
    residentMiB(all.map(({ child }) => child.pid));
  const cores = `${os.availableParallelism()} cores, load ${(os.loadavg()[0] ?? 0).toFixed(1)}`;
  table.push(
    ['machine', cores],
    ['services, simulated hosts', `${services.length}, ${simulated.length}`],
    ['memory of a service, of a simulated host', `${pids(services)}, ${pids(simulated)}`],
    ['submissions a second, accepted', `${(took.length / seconds).toFixed(0)}, ${took.length} of ${count}`],
    ['jobs that wait, per host: least, most', `${Math.min(...held)}, ${Math.max(...held)}`],
    ['submission: p50 / p99 / most', spread(took)],
    ['until its host has it: p50 / p99 / most', spread(taken.flatMap(({ delays }) => delays))],
    ['Redis: bytes per job, rows alone', (bytes / rows).toFixed(0)],
    ['Redis: bytes per job, with messages done in the last minute', (grown / rows).toFixed(0)],
    ['GET /jobs/ID through its host: p50 / p99 / most', spread(wrong.owner)],
    ['GET /jobs/ID through another: p50 / p99 / most', spread(wrong.through)],
    ['another / its host (medians)', ratio.toFixed(2)],
  );
  say(table.toString());
  for (const [reason, times] of refused) say(`refused ${times} times: ${reason}`);
  const misses = [
    ratio > limits.wrongHost && `the wrong host costs more than ${limits.wrongHost} times as much`,
    bytes / rows > limits.bytesPerJob && `a row takes more than ${limits.bytesPerJob} bytes`,
    rows !== took.length && `${rows} rows for ${took.length} jobs`,
    refused.size > 0 && 'submissions were refused',
  ].filter((miss) => miss !== false);
  for (const miss of misses) say(`MISSED: ${miss}`);
  return misses.length === 0;
}

/** @type {Awaited<ReturnType<typeof startCluster>> | undefined} */
let cluster;
try {
  const ended = interrupted();
  cluster = await startCluster({ services: Number(options.services), simulated: Number(options.simulated) });
  const isMet = await Promise.race([benchAll(cluster), ended]);
  if (!isMet && options.check) process.exitCode = 1;
} catch (error) {
  failed(error);
  process.exitCode = 1;
} finally {
  await cluster?.end();
}
// Whatever of an interrupted part goes on.
process.exit();
