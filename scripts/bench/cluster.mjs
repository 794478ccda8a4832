// Measures a cluster on this machine, with its services and hosts as processes.
// Services are whole ones, and are asked. Simulated hosts are lighter: processes with the code of the cluster
// alone (dist/modules/cluster), which take jobs into memory, where they wait and never run. All jobs go to simulated hosts, at
// --rate submissions a second through the services in turn. Then jobs of a service are read through itself and another one.
// Prints what a submission takes, how long a job is on its way to its host, the memory of Redis per job, and what asking the wrong
// host costs, with the number of cores.
import os from 'node:os';
import { median, quantile, showTable, target, timed } from './kit.mjs';
import { figureOf } from '../lib/process-usage.mjs';
import { say } from '../lib/words.mjs';
import { answersOf, startCluster } from './cluster/hosts.mjs';
import { setTimeout as delay } from 'node:timers/promises';
import { call, endOf } from '../lib/http.mjs';

/** @typedef {import('./cluster/hosts.mjs').Service} Service */

const topology = 'name: bench\nnodes: [h1, h2]\nlinks: [h1-h2]\n';

/**
 * Submits at a steady rate, however long the replies take; a submission takes from when it was due to its reply.
 * @param {readonly Service[]} services asked in turn
 * @param {{ count: number, rate: number }} load
 */
async function offerJobs(services, { count, rate }) {
  /** @type {number[]} */
  const took = [];
  /** @type {Map<string, number>} */
  const refused = new Map();
  const began = performance.now();
  const submit = async (/** @type {number} */ at) => {
    const due = began + (at * 1000) / rate;
    await delay(Math.max(0, due - performance.now()));
    const url = services[at % services.length]?.url;
    const labels = { sentAtMs: String(Date.now()) };
    try {
      await call(`${url}/jobs`, {
        action: 'up',
        workspace: 'auto',
        topology,
        hostLabels: ['simulated'],
        labels,
      });
      took.push(performance.now() - due);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      refused.set(reason, (refused.get(reason) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: count }, async (_, at) => submit(at)));
  return { took, refused, seconds: (performance.now() - began) / 1000 };
}

/**
 * The same job through its host and through another one, by turns.
 * @param {readonly Service[]} services
 * @param {number} count
 */
async function readBoth(services, count) {
  const [owner, other] = services;
  if (owner === undefined || other === undefined)
    throw new Error('it takes two services to ask the wrong one');
  const { id } = await call(`${owner.url}/jobs`, {
    action: 'up',
    workspace: 'auto',
    topology,
    host: owner.name,
  });
  await endOf(owner.url, id);
  const [own, through] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  // The first tenth is the compilers'.
  for (let at = -count / 10; at < count; at += 1) {
    const one = await timed(async () => call(`${owner.url}/jobs/${id}`));
    const two = await timed(async () => call(`${other.url}/jobs/${id}`));
    if (at < 0) continue;
    own.push(one);
    through.push(two);
  }
  return { owner: own, through };
}

export const options = /** @type {const} */ ({
  services: { type: 'string', default: '3' },
  simulated: { type: 'string', default: '47' },
  jobs: { type: 'string', default: '10000' },
  rate: { type: 'string', default: '200' },
  reads: { type: 'string', default: '1000' },
});

/** Generous: they tell of a mistake, not of a slow machine. */
const limits = { wrongHost: 10, bytesPerJob: 4096 };

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

/** @param {Record<keyof typeof options, string>} values */
export async function bench(values) {
  const [count, rate, reads] = [Number(values.jobs), Number(values.rate), Number(values.reads)];
  const { services, simulated, redis } = await startCluster({
    services: Number(values.services),
    simulated: Number(values.simulated),
  });
  const before = await memoryOf(redis);
  say(`${count} jobs, ${rate} a second`);
  const { took, refused, seconds } = await offerJobs(services, { count, rate });
  const grown = (await memoryOf(redis)) - before;
  const { rows, bytes } = await rowsOf(redis);
  const taken = await answersOf(simulated);
  const held = taken.map(({ jobs }) => jobs);
  const wrong = await readBoth(services, reads);
  const ratio = median(wrong.through) / median(wrong.owner);
  const pids = (/** @type {readonly { child: import('node:child_process').ChildProcess }[]} */ all) =>
    residentMiB(all.map(({ child }) => child.pid));
  const cores = `${os.availableParallelism()} cores, load ${(os.loadavg()[0] ?? 0).toFixed(1)}`;
  showTable(
    [],
    [
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
    ],
  );
  for (const [reason, times] of refused) say(`refused ${times} times: ${reason}`);
  target(`the wrong host costs at most ${limits.wrongHost} times as much`, ratio <= limits.wrongHost);
  target(`a row takes at most ${limits.bytesPerJob} bytes`, bytes / rows <= limits.bytesPerJob);
  target(`${rows} rows for ${took.length} jobs`, rows === took.length);
  target('no submission was refused', refused.size === 0);
}
