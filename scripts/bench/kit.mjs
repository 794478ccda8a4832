/** The directory, servers, figures, tables and targets that the scenarios of scripts/bench.mjs share. */
import path from 'node:path';
import Table from 'cli-table3';
import { cpuSecondsOf } from '../lib/process-usage.mjs';
import { plainEnvironment, program, startService } from '../lib/service.mjs';
import { temporaryDirectory } from '../lib/temporary-directory.mjs';
import { say } from '../lib/words.mjs';

/** It goes when the script ends. */
export const root = temporaryDirectory('lab-api-bench');

/** @type {Set<() => unknown>} */
const ends = new Set();

/** Adds a function that ends a server or tidies up: it runs at the end, whatever happened. @param {() => unknown} end */
export const atEnd = (end) => void ends.add(end);

export const endAll = async () => Promise.all([...ends].map((end) => end()));

/** @param {string} text beside the figures: what is being done */
export const progress = (text) => void process.stderr.write(`${text}\n`);

/**
 * A service with these settings beside none of the user's own; it ends with the script.
 * @param {NodeJS.ProcessEnv} settings
 * @param {{ dist?: string | undefined, isDetached?: boolean }} [means] dist: that of another build
 */
export async function start(settings, { dist, isDetached = false } = {}) {
  const service = await startService({
    env: { ...plainEnvironment(), LAB_HOME: path.join(root, 'home'), ...settings },
    file: dist === undefined ? program : path.resolve(dist, 'main.js'),
    isDetached,
  });
  atEnd(async () => service.end('SIGKILL'));
  return { ...service, pid: service.child.pid ?? 0 };
}

/** How long it takes, in milliseconds. @param {() => Promise<unknown>} action */
export async function timed(action) {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

/**
 * The longest wait for /healthz while `action` goes on, and how long that took, in ms.
 * @template T
 * @param {string} url
 * @param {() => Promise<T>} action
 */
export async function waits(url, action) {
  const over = new AbortController();
  let longest = 0;
  const others = (async () => {
    while (!over.signal.aborted) {
      const startMs = performance.now();
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      longest = Math.max(longest, performance.now() - startMs);
      await new Promise((resolve) => void setTimeout(resolve, 5));
    }
  })();
  const startMs = performance.now();
  const result = await action();
  const took = performance.now() - startMs;
  over.abort();
  await others;
  return { longest, took, result };
}

/** Seconds of a processor that a process used so far. @param {number} pid */
export function processorSeconds(pid) {
  const { user, system } = cpuSecondsOf(pid);
  return user + system;
}

/** The middle of these numbers; NaN when there are none. @param {readonly number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** The number below which this part of them lies; NaN when there are none. @param {readonly number[]} numbers @param {number} part */
export function quantile(numbers, part) {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

/** @param {readonly string[]} head @param {readonly (readonly (string | number)[])[]} rows */
export function showTable(head, rows) {
  /** @type {('left' | 'right')[]} */
  const colAligns = (rows[0] ?? head).map((_, index) => (index === 0 ? 'left' : 'right'));
  const table = new Table({ head: [...head], colAligns, style: { head: [], border: [], compact: true } });
  for (const row of rows) table.push([...row]);
  say(table.toString());
}

let missed = 0;
export const isMissed = () => missed > 0;

/** Prints a target; one that is not met counts for --check. @param {string} what @param {boolean | undefined} isMet undefined: not measured */
export function target(what, isMet) {
  if (isMet === false) missed += 1;
  say(isMet === undefined ? `– ${what} (not measured)` : `${isMet ? '✓' : '✗'} ${what}`);
}
