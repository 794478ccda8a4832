import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { median, processorSeconds, timed } from '../kit.mjs';
import { figureOf } from '../../lib/process-usage.mjs';
import { startBare, startOwn } from './servers.mjs';

/** How long a service rests before its memory is looked at. */
const restMs = 2_000;

/** @param {() => Promise<import('./servers.mjs').Server>} start @param {string} resource */
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
