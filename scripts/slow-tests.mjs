#!/usr/bin/env node
// Prints which test files took longest, and the slowest test of each:
//   npm test -- --json --outputFile=/tmp/tests.json; scripts/slow-tests.mjs /tmp/tests.json [--count 20]
// Seconds are wall time: a file that waits for another one, or for a processor that others use, looks slow as well.
import Table from 'cli-table3';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readArguments } from './lib/options.mjs';

/**
 * The fields of the output of Jest (--json) that this script reads. Times are ms since 1970, durations ms.
 * @typedef {{ duration?: number | null, fullName: string }} Outcome
 * @typedef {{ name: string, startTime: number, endTime: number, assertionResults: Outcome[] }} File
 */

const { values, positionals } = readArguments({ count: { type: 'string', default: '20' } });
const [results] = positionals;
if (results === undefined || positionals.length > 1) {
  process.stderr.write('slow-tests.mjs: name the one file that Jest wrote with --json --outputFile\n');
  process.exit(2);
}

/** @type {{ testResults: File[] }} */
const { testResults } = JSON.parse(readFileSync(results, 'utf8'));
const secondsOf = (/** @type {number} */ ms) => (ms / 1000).toFixed(1);
const took = (/** @type {File} */ { startTime, endTime }) => endTime - startTime;
const slowest = (/** @type {File} */ { assertionResults }) =>
  assertionResults.toSorted((one, other) => (other.duration ?? 0) - (one.duration ?? 0))[0];

const table = new Table({ head: ['s', 'file', 's', 'its slowest test'], style: { head: [], border: [] } });
for (const file of testResults
  .toSorted((one, other) => took(other) - took(one))
  .slice(0, Number(values.count))) {
  const test = slowest(file);
  table.push([
    secondsOf(took(file)),
    path.relative(process.cwd(), file.name),
    secondsOf(test?.duration ?? 0),
    test?.fullName ?? '',
  ]);
}
const allMs = testResults.reduce((sum, file) => sum + took(file), 0);
process.stdout.write(
  `${table.toString()}\n${testResults.length} files, ${secondsOf(allMs)} s one after the other\n`,
);
