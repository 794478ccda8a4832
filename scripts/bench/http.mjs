// Measures what an HTTP request costs. Beside the service, in turns, so that what else the machine does meets all of them: a bare
// Express application with one route and bare node:http, which send a body of the same size, and `netlab api` when it is on
// PATH. "×" is against bare Express: medians of the ratios of each round. CPU is that of the server, per request. The client
// takes a processor of its own; where a server is faster than the client, as node:http is, its requests per second are
// those of the client.
// Then the start of the service up to its first answer, its memory when it rests, and how often 500 clients that ask
// for /status have it run the lab CLI. --beside: another build (its `dist`) in the same run.
import { judge, showLoads, showStartUp } from './http/report.mjs';
import { runJobs, startBare, startNetlab, startOwn, statusRuns, whyNoNetlab } from './http/servers.mjs';
import { say } from '../lib/words.mjs';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { median, processorSeconds, timed } from './kit.mjs';
import { figureOf } from '../lib/process-usage.mjs';
import { ask, loadOf, roundsOf } from './http/rounds.mjs';

/** How long a service rests before its memory is read: V8 returns what the start needed after some seconds without work. */
const restMs = 20_000;

/** @param {() => Promise<import('./http/servers.mjs').Server>} start @param {string} resource */
async function oneStart(start, resource) {
  const began = performance.now();
  const server = await start();
  await (await fetch(new URL(resource, server.url))).arrayBuffer();
  const ms = performance.now() - began;
  const cpuMs = processorSeconds(server.pid) * 1000;
  await delay(restMs);
  const rssMebibytes = figureOf(server.pid, 'status', 'VmRSS') / 1024;
  await server.end();
  return { ms, cpuMs, rssMebibytes };
}

/** @param {readonly { ms: number, cpuMs: number, rssMebibytes: number }[]} all */
const medians = (all) => ({
  ms: median(all.map(({ ms }) => ms)),
  cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
  rssMebibytes: median(all.map(({ rssMebibytes }) => rssMebibytes)),
});

/** From the start of the process to its first answer, and its memory when it has nothing to do; medians. @param {number} rounds @param {string | undefined} besideBuild */
export async function benchStartUp(rounds, besideBuild) {
  /** @typedef {Awaited<ReturnType<typeof oneStart>>[]} Starts */
  /** @type {Record<'own' | 'beside' | 'express', Starts>} */
  const starts = { own: [], beside: [], express: [] };
  /** @type {number[]} */
  const nodeMs = [];
  for (let round = 0; round < rounds; round += 1) {
    starts.own.push(await oneStart(() => startOwn(), '/healthz'));
    if (besideBuild !== undefined)
      starts.beside.push(await oneStart(() => startOwn(besideBuild), '/healthz'));
    starts.express.push(await oneStart(() => startBare('express', 16), '/'));
    nodeMs.push(await timed(async () => once(spawn(process.execPath, ['-e', '0']), 'exit')));
  }
  return {
    own: medians(starts.own),
    beside: besideBuild === undefined ? undefined : medians(starts.beside),
    express: medians(starts.express),
    nodeMs: median(nodeMs),
  };
}

export const options = /** @type {const} */ ({
  seconds: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '5' },
  connections: { type: 'string', default: '16' },
  only: { type: 'string' },
  beside: { type: 'string' },
});

const scraperCount = 500;
const scraperSeconds = 6;
/** The default of LAB_API_STATUS_MAX_AGE. */
const refreshSeconds = 2;
/** Enough for a page of 20 with a next one. */
const jobCount = 25;

/** @typedef {import('./http/servers.mjs').Server} Server */

/**
 * The loads of everything that answers this resource, by its name, a list with an entry per round.
 * @param {string} resource with ID for that of a job
 * @param {ReadonlyMap<string, Server & { jobId?: string }>} services
 * @param {{ seconds: number, rounds: number, connections: number }} means
 */
async function measure(resource, services, { seconds, rounds, connections }) {
  /** @type {Map<string, import('./http/rounds.mjs').Target>} */
  const targets = new Map();
  let bytes = 0;
  for (const [name, { url, pid, jobId = '' }] of services) {
    const target = { url: `${url}${resource.replace('ID', jobId)}`, pid };
    targets.set(name, target);
    if (name === 'lab-api') ({ bytes } = await ask(target.url));
  }
  const bare = {
    'bare Express': await startBare('express', bytes),
    'bare node:http': await startBare('http', bytes),
  };
  for (const [name, server] of Object.entries(bare)) targets.set(name, server);
  const loads = await roundsOf(targets, { seconds, rounds, connections });
  for (const server of Object.values(bare)) await server.end();
  return { resource, bytes, loads };
}

/** How often the lab CLI ran while hundreds asked for the status, and how often it may. @param {Server} service */
async function scrape({ url, pid }) {
  const before = statusRuns();
  const began = performance.now();
  const target = { url: `${url}/status`, pid };
  const { perSecond } = await loadOf(target, { connections: scraperCount, seconds: scraperSeconds });
  const took = (performance.now() - began) / 1000;
  // One for the first client, then one each time that the cached status is too old.
  return { runs: statusRuns() - before, most: 1 + Math.ceil(took / refreshSeconds), perSecond };
}

/** @param {{ seconds: string, rounds: string, connections: string, only?: string, beside?: string }} values */
export async function bench({ only, beside, ...others }) {
  const means = {
    seconds: Number(others.seconds),
    rounds: Number(others.rounds),
    connections: Number(others.connections),
  };
  const why = whyNoNetlab();
  if (why !== undefined) say(`netlab api is not measured: ${why}`);
  const startUp = only === undefined ? await benchStartUp(means.rounds, beside) : undefined;
  /** @type {Map<string, Server & { jobId: string }>} */
  const own = new Map();
  for (const [name, dist] of Object.entries({
    'lab-api': undefined,
    ...(beside !== undefined && { beside }),
  })) {
    const service = await startOwn(dist);
    own.set(name, { ...service, jobId: await runJobs(service.url, jobCount) });
  }
  // It knows no job but those that it ran itself, and has no pages.
  /** @type {Map<string, Server & { jobId?: string }>} */
  const withNetlab = new Map(own);
  if (why === undefined) withNetlab.set('netlab api', await startNetlab());
  const results = [];
  const services = { '/healthz': withNetlab, '/jobs/ID': own, '/jobs?limit=20': own, '/status': withNetlab };
  for (const [resource, those] of Object.entries(services))
    if (only === undefined || only === resource) results.push(await measure(resource, those, means));
  const service = own.get('lab-api');
  const scraped = service && only === undefined ? await scrape(service) : undefined;
  showLoads(results);
  if (startUp) showStartUp(startUp);
  judge({ results, startUp, scraped });
}
