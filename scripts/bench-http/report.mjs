/** The figures of scripts/bench-http.mjs as tables, and whether they are good enough. */
import Table from 'cli-table3';
import { median } from '../lib/median.mjs';
import { say } from '../lib/words.mjs';

/** @typedef {import('./load.mjs').Load} Load */
/** @typedef {{ resource: string, bytes: number, loads: ReadonlyMap<string, readonly Load[]> }} Result */
/** @typedef {Awaited<ReturnType<typeof import('./start-up.mjs').benchStartUp>>} StartUp */

/** Requests per second, × bare Express. */
const leastRatio = new Map(
  Object.entries({ '/healthz': 0.9, '/jobs/ID': 0.8, '/jobs?limit=20': 0.4, '/status': 0.8 }),
);
const mostStartMs = 400;
const mostRssMebibytes = 90;

/** @param {readonly Load[]} loads @param {keyof Load} figure */
const medianOf = (loads, figure) => median(loads.map((load) => load[figure]));

/**
 * How the one compares with bare Express, round by round.
 * @param {Result} result
 * @param {string} name
 * @param {keyof Load} figure
 */
function ratioOf({ loads }, name, figure) {
  const express = loads.get('bare Express') ?? [];
  return median(
    (loads.get(name) ?? []).map((load, round) => load[figure] / (express[round]?.[figure] ?? NaN)),
  );
}

/** @param {readonly string[]} head */
const newTable = (head) =>
  new Table({
    head: [...head],
    colAligns: ['left', ...head.slice(1).map(() => /** @type {const} */ ('right'))],
    style: { head: [], border: [], compact: true },
  });

/** @param {readonly Result[]} results */
export function showLoads(results) {
  for (const result of results) {
    const what = `${result.resource}, ${result.bytes} bytes`;
    const table = newTable([what, 'requests/s', '×', 'p50 ms', 'p99 ms', 'CPU µs', '×']);
    for (const [name, loads] of result.loads)
      table.push([
        name,
        medianOf(loads, 'perSecond').toFixed(0),
        ratioOf(result, name, 'perSecond').toFixed(2),
        medianOf(loads, 'p50Ms').toFixed(2),
        medianOf(loads, 'p99Ms').toFixed(2),
        medianOf(loads, 'cpuMicros').toFixed(0),
        ratioOf(result, name, 'cpuMicros').toFixed(2),
      ]);
    say(table.toString());
  }
}

/** @param {StartUp} startUp */
export function showStartUp({ own, beside, express, nodeMs }) {
  const table = newTable(['start', 'first answer ms', 'CPU ms', 'RSS MiB at rest']);
  const rows = { 'lab-api': own, ...(beside && { beside }), 'bare Express': express };
  for (const [name, { ms, cpuMs, rssMebibytes }] of Object.entries(rows))
    table.push([name, ms.toFixed(0), cpuMs.toFixed(0), rssMebibytes.toFixed(0)]);
  table.push(['node -e 0', nodeMs.toFixed(0), '', '']);
  say(table.toString());
}

/**
 * Prints the targets; whether none is missed.
 * @param {{ results: readonly Result[], startUp: StartUp | undefined, scraped: { runs: number, most: number, perSecond: number } | undefined }} measured
 */
export function meetsTargets({ results, startUp, scraped }) {
  const target = (/** @type {string} */ what, /** @type {boolean} */ isMet) => {
    say(`${isMet ? '✓' : '✗'} ${what}`);
    return isMet;
  };
  const isMet = results.map((result) => {
    const least = leastRatio.get(result.resource) ?? 0;
    const ratio = ratioOf(result, 'lab-api', 'perSecond');
    return target(
      `${result.resource}: ${ratio.toFixed(2)} × bare Express (at least ${least})`,
      ratio >= least,
    );
  });
  if (startUp) {
    const { ms, rssMebibytes } = startUp.own;
    isMet.push(target(`first answer after ${ms.toFixed(0)} ms (at most ${mostStartMs})`, ms <= mostStartMs));
    const rss = rssMebibytes.toFixed(0);
    isMet.push(target(`${rss} MiB at rest (at most ${mostRssMebibytes})`, rssMebibytes <= mostRssMebibytes));
  }
  if (scraped) {
    const what = `500 clients, ${scraped.perSecond.toFixed(0)} requests/s for /status: the lab CLI ran ${scraped.runs} times`;
    isMet.push(target(`${what} (at most ${scraped.most})`, scraped.runs <= scraped.most));
  }
  return isMet.every(Boolean);
}
