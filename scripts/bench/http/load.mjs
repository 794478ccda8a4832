import autocannon from 'autocannon';
import { must } from '../../lib/words.mjs';
import { processorSeconds, quantile } from '../kit.mjs';

/** @typedef {{ url: string, pid: number }} Target A resource and the process that answers. */
/** @typedef {{ perSecond: number, p50Ms: number, p99Ms: number, cpuMicros: number }} Load Of one request, where it is not said otherwise. */

/** One request: how long it takes, and what it gives. @param {string} url */
export async function ask(url) {
  const began = performance.now();
  const bytes = (await (await fetch(url)).arrayBuffer()).byteLength;
  return { bytes, seconds: (performance.now() - began) / 1000 };
}

/**
 * Asks again and again for so long, on each connection for the next as soon as one is answered.
 * @param {Target} target
 * @param {{ connections: number, seconds: number }} load
 * @returns {Promise<Load>}
 */
export async function loadOf({ url, pid }, { connections, seconds }) {
  const before = processorSeconds(pid);
  const started = performance.now();
  /** @type {number[]} Autocannon's own histogram knows whole milliseconds only. */
  const latencies = [];
  const result = await new Promise((resolve, reject) => {
    autocannon({ url, connections, duration: seconds }, (error, done) =>
      error ? reject(error instanceof Error ? error : new Error(String(error))) : resolve(done),
    ).on('response', (_client, _status, _bytes, ms) => void latencies.push(ms));
  });
  const tookMs = performance.now() - started;
  const after = processorSeconds(pid);
  const { non2xx, errors } = result;
  const isSound = non2xx === 0 && errors === 0 && latencies.length > 0;
  must(isSound, `${url}: ${latencies.length} replies, ${non2xx} of them not 2xx, and ${errors} errors`);
  return {
    perSecond: (latencies.length * 1000) / tookMs,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuMicros: ((after - before) * 1e6) / latencies.length,
  };
}
