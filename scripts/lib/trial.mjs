/** The frame of runs that look for violations of a promise: those of chaos, and the milestone of a cluster. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { interrupted } from './words.mjs';

/**
 * @typedef {object} Trial
 * @property {string[]} violations sentences; they grow while the trial runs and ends
 * @property {() => Promise<void>} run
 * @property {() => Promise<void>} end leaves the machine as it was, whatever happened
 * @property {() => number} accepted how many jobs were accepted so far
 */

/**
 * Runs a trial in a temporary directory and prints its violations. The result is the exit code of the script: 1 on any
 * violation, and the directory is kept then.
 * @param {{ title: string, seed: number }} about
 * @param {(temporary: string) => Promise<Trial>} build
 */
export async function tryOut({ title, seed }, build) {
  console.log(`seed ${seed}, ${title}`);
  const started = performance.now();
  const temporary = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'lab-api-trial-')));
  const ended = interrupted();
  ended.catch(() => undefined);
  const trial = await build(temporary);
  const { violations } = trial;
  try {
    await Promise.race([trial.run(), ended]);
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    violations.push(`the run did not come to its end: ${reason}`);
  } finally {
    await trial.end();
  }
  for (const violation of violations.slice(0, 200)) console.error(`VIOLATION ${violation}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `${violations.length} violations, ${trial.accepted()} accepted jobs, ${seconds} s, seed ${seed}`,
  );
  if (violations.length > 0) console.log(`kept: ${temporary}`);
  else rmSync(temporary, { recursive: true, force: true });
  return violations.length > 0 ? 1 : 0;
}
