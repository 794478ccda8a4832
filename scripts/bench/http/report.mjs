/** The figures of bench http as tables, and whether they are good enough. */
import { showTable, target } from '../kit.mjs';
import { medianOf, ratioOf } from './rounds.mjs';

/** @typedef {{ resource: string, bytes: number, loads: import('./rounds.mjs').Loads }} Result */
/** @typedef {Awaited<ReturnType<typeof import('../http.mjs').benchStartUp>>} StartUp */

/** Requests per second, × bare Express. */
const leastRatio = new Map(
  Object.entries({ '/healthz': 0.9, '/jobs/ID': 0.8, '/jobs?limit=20': 0.4, '/status': 0.8 }),
);
const mostStartMs = 350;
const mostRssMebibytes = 85;

/** @param {readonly Result[]} results */
export function showLoads(results) {
  for (const result of results) {
    const what = `${result.resource}, ${result.bytes} bytes`;
    const rows = [...result.loads].map(([name, loads]) => [
      name,
      medianOf(loads, 'perSecond').toFixed(0),
      ratioOf(result.loads, name, 'perSecond').toFixed(2),
      medianOf(loads, 'p50Ms').toFixed(2),
      medianOf(loads, 'p99Ms').toFixed(2),
      medianOf(loads, 'cpuMicros').toFixed(0),
      ratioOf(result.loads, name, 'cpuMicros').toFixed(2),
    ]);
    showTable([what, 'requests/s', '×', 'p50 ms', 'p99 ms', 'CPU µs', '×'], rows);
  }
}

/** @param {StartUp} startUp */
export function showStartUp({ own, beside, express, nodeMs }) {
  const starts = { 'lab-api': own, ...(beside && { beside }), 'bare Express': express };
  const rows = Object.entries(starts).map(([name, { ms, cpuMs, rssMebibytes }]) => [
    name,
    ms.toFixed(0),
    cpuMs.toFixed(0),
    rssMebibytes.toFixed(0),
  ]);
  showTable(
    ['start', 'first answer ms', 'CPU ms', 'RSS MiB at rest'],
    [...rows, ['node -e 0', nodeMs.toFixed(0), '', '']],
  );
}

/**
 * Prints the targets.
 * @param {{ results: readonly Result[], startUp: StartUp | undefined, scraped: { runs: number, most: number, perSecond: number } | undefined }} measured
 */
export function judge({ results, startUp, scraped }) {
  for (const result of results) {
    const least = leastRatio.get(result.resource) ?? 0;
    const ratio = ratioOf(result.loads, 'lab-api', 'perSecond');
    target(`${result.resource}: ${ratio.toFixed(2)} × bare Express (at least ${least})`, ratio >= least);
  }
  if (startUp) {
    const { ms, rssMebibytes } = startUp.own;
    target(`first answer after ${ms.toFixed(0)} ms (at most ${mostStartMs})`, ms <= mostStartMs);
    const isSmall = rssMebibytes <= mostRssMebibytes;
    target(`${rssMebibytes.toFixed(0)} MiB at rest (at most ${mostRssMebibytes})`, isSmall);
  }
  if (scraped) {
    const what = `500 clients, ${scraped.perSecond.toFixed(0)} requests/s for /status: the lab CLI ran ${scraped.runs} times`;
    target(`${what} (at most ${scraped.most})`, scraped.runs <= scraped.most);
  }
}
