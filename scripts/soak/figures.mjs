/** The figures of a soak, and whether they grow. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { figureOf } from '../lib/process-usage.mjs';
import { tries } from '../lib/wait.mjs';

const mebi = 1024 * 1024;

/** By name: the unit, and the growth that is allowed in the second half. Memory and disk depend on the moment of a reading. */
const figures = /** @type {const} */ ({
  heap: { unit: 'MiB', allowance: 4 },
  rss: { unit: 'MiB', allowance: 12 },
  descriptors: { unit: '', allowance: 6 },
  timers: { unit: '', allowance: 8 },
  processes: { unit: '', allowance: 6 },
  disk: { unit: 'MiB', allowance: 4 },
});

/** @typedef {Record<keyof typeof figures, number>} Reading */

/** @param {{ pid: number, probe: string, dataDir: string }} service @returns {Promise<Reading>} */
export async function readFigures({ pid, probe, dataDir }) {
  rmSync(probe, { force: true });
  process.kill(pid, 'SIGUSR2');
  await tries('the service reads its own figures', () => Promise.resolve(existsSync(probe)), 60);
  const { heap, timers } = JSON.parse(readFileSync(probe, 'utf8'));
  // It fails when a file vanishes meanwhile, and prints the sum all the same.
  const du = spawnSync('du', ['-sk', dataDir], { encoding: 'utf8' }).stdout;
  return {
    heap: heap / mebi,
    rss: figureOf(pid, 'status', 'VmRSS') / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    timers,
    processes: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
    disk: Number(du.split('\t')[0]) / 1024,
  };
}

/** The median of the slopes between all pairs of values, per step (Theil and Sen): single readings that stand out do not move it. @param {readonly number[]} values */
function slopeOf(values) {
  const slopes = values
    .flatMap((early, at) => values.slice(at + 1).map((late, distance) => (late - early) / (distance + 1)))
    .toSorted((one, other) => one - other);
  return slopes[slopes.length >> 1] ?? 0;
}

/** Old jobs are removed every ten minutes, which keeps the disk flat; memory needs many of these rounds. */
const leastMinutes = 90;
/** @type {readonly string[]} */
const slow = ['heap', 'rss', 'disk'];

/**
 * The growth of each figure in the second half of the readings. A short run says nothing about those that are slow: they have no
 * allowance then.
 *
 * @param {readonly Reading[]} readings
 * @param {number} minutes
 */
export function growthIn(readings, minutes) {
  const half = readings.slice(readings.length >> 1);
  return Object.entries(figures).map(([name, { unit, allowance }]) => {
    const values = half.map((reading) => reading[/** @type {keyof Reading} */ (name)]);
    const most = slow.includes(name) && minutes < leastMinutes ? Infinity : allowance;
    return { name, unit, most, last: values.at(-1) ?? NaN, growth: slopeOf(values) * (values.length - 1) };
  });
}
