/** Loads on several servers, in turns, so that what else the machine does meets all of them; and how they compare. */
import { putLoad } from '../../lib/load.mjs';
import { median, processorSeconds, quantile } from '../kit.mjs';

/** @typedef {{ url: string, pid: number, headers?: Record<string, string> }} Target A resource and the process that answers. */
/** @typedef {{ perSecond: number, p50Ms: number, p99Ms: number, cpuMicros: number }} Load Of one request, where it is not said otherwise. */
/** @typedef {ReadonlyMap<string, readonly Load[]>} Loads Those of each server, with an entry per round. */

/** The name of the server that all are compared with. */
const reference = 'bare Express';

/** One request: how long it takes, and what it gives. @param {string} url @param {Record<string, string>} [headers] */
export async function ask(url, headers = {}) {
  const began = performance.now();
  const reply = await fetch(url, { headers });
  const bytes = (await reply.arrayBuffer()).byteLength;
  return { bytes, status: reply.status, seconds: (performance.now() - began) / 1000 };
}

/**
 * Asks again and again for so long, on each connection for the next as soon as one is answered.
 * @param {Target} target
 * @param {{ connections: number, seconds: number }} load
 * @returns {Promise<Load>}
 */
export async function loadOf({ url, pid, headers = {} }, { connections, seconds }) {
  const before = processorSeconds(pid);
  const { perSecond, latencies } = await putLoad({ url, headers, connections, seconds });
  const after = processorSeconds(pid);
  return {
    perSecond,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cpuMicros: ((after - before) * 1e6) / latencies.length,
  };
}

/**
 * @param {ReadonlyMap<string, Target>} targets
 * @param {{ seconds: number, rounds: number, connections: number }} means
 * @returns {Promise<Loads>}
 */
export async function roundsOf(targets, { seconds, rounds, connections }) {
  /** @type {Map<string, Load[]>} */
  const loads = new Map();
  // The first round is the compilers'.
  for (let round = 0; round <= rounds; round += 1) {
    const inTurn = round % 2 === 0 ? [...targets] : [...targets].toReversed();
    for (const [name, target] of inTurn) {
      // Long enough for each connection to be answered, if it takes whole seconds.
      const least = 2 * connections * (await ask(target.url, target.headers)).seconds;
      const load = await loadOf(target, { connections, seconds: Math.max(seconds, least) });
      if (round > 0) loads.set(name, [...(loads.get(name) ?? []), load]);
    }
  }
  return loads;
}

/** @param {readonly Load[]} loads @param {keyof Load} figure */
export const medianOf = (loads, figure) => median(loads.map((load) => load[figure]));

/** How the one compares with bare Express, round by round. @param {Loads} loads @param {string} name @param {keyof Load} figure */
export function ratioOf(loads, name, figure) {
  const express = loads.get(reference) ?? [];
  return median(
    (loads.get(name) ?? []).map((load, round) => load[figure] / (express[round]?.[figure] ?? NaN)),
  );
}
