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
  // It fails when a file vanishes meanwhile, and prints the sum all the same. The journal of events grows up to its own limit.
  const du = spawnSync('du', ['-sk', '--exclude=events', dataDir], { encoding: 'utf8' }).stdout;
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

const removalMinutes = 10;

/** Old jobs are removed every ten minutes: the disk is compared as it is right after that. @param {readonly number[]} disk @param {number} minutesApart */
function lowestSinceRemoval(disk, minutesApart) {
  const count = Math.ceil(removalMinutes / minutesApart);
  return disk.map((_, at) => Math.min(...disk.slice(Math.max(0, at + 1 - count), at + 1)));
}

/** Memory and disk need many removals to tell. */
const leastMinutes = 90;
/** In a short run, the moment of a reading weighs more; a leak with each activity stands out all the same. */
const ofShortRun = 4;
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
  return Object.entries(figures).map(([name, { unit, allowance }]) => {
    const all = readings.map((reading) => reading[/** @type {keyof Reading} */ (name)]);
    const values = (name === 'disk' ? lowestSinceRemoval(all, minutes / all.length) : all).slice(
      all.length >> 1,
    );
    const ofShort = slow.includes(name) ? Infinity : ofShortRun * allowance;
    const most = minutes < leastMinutes ? ofShort : allowance;
    return { name, unit, most, last: values.at(-1) ?? NaN, growth: slopeOf(values) * (values.length - 1) };
  });
}
