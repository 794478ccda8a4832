#!/usr/bin/env node
/**
 * npm run mutation -- [FOLDER] [--quick] [--each] [--force] [--concurrency N]
 *
 * Changes the code a little, in one place at a time, and looks whether a unit test notices (StrykerJS). FOLDER is a room of
 * src/jobs, src/http, src/labs or of the pure parts of src/engine, a folder of several rooms, or a file: `src/jobs`,
 * `src/jobs/store`, `src/jobs/store/job-list.ts`. Without one all rooms are tried, which takes hours.
 *
 * Prints a row per room: how many changes were tried, how many were noticed, and the score in percent. What nobody noticed
 * is in coverage/mutation/<room>/survivors.txt, and as a page in report.html beside it. A second run tries what was not
 * noticed, and what has changed since in the code or in the tests; --force tries everything. scripts/mutation/rooms.mjs says which tests judge which room.
 *
 * --quick leaves out what runs but once, when a file is loaded (tables, schemas, patterns): a sixth of the changes, and most
 * of the time, for each of them is tried with every test of its room.
 *
 * --each judges each file by the tests of its own name, and by those that scripts/mutation/judges.mjs names, with a row for
 * each: stricter, and quicker by far where a room has many tests. Files without such a test are left out.
 *
 * A changed program may signal or erase what it should not, so this runs where there are no other processes and nothing but
 * coverage/mutation can be written (unshare(1)): on Linux, as root or where users may make namespaces.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { readArguments } from './lib/options.mjs';
import { confine, isConfined } from './lib/confine.mjs';
import { eachFileOf, roomsOf } from './mutation/rooms.mjs';
import { forgetUnnoticed, markdown, scoreOf, sumOf, survivors } from './mutation/score.mjs';

/** @typedef {import('./mutation/rooms.mjs').Room} Room */

const root = path.resolve(import.meta.dirname, '..');
const reports = path.join(root, 'coverage/mutation');
const lowestPriority = 19;

/**
 * The tests need none of it. (`dist` is copied: some tests use the threads and the engine as they were built.) Stryker would
 * rewrite tsconfig.json by an interface that TypeScript 7 does not have.
 */
const notCopied = ['coverage', 'dist.*', 'docs', 'packaging', '*.tgz', 'tsconfig*.json'];

const { values, positionals } = readArguments({
  quick: { type: 'boolean', default: false },
  each: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  concurrency: { type: 'string', default: '1' },
});
const [given = '', ...others] = positionals;
const whole = others.length > 0 ? [] : roomsOf(root, given);
const rooms = values.each ? whole.flatMap((room) => eachFileOf(root, room)) : whole;
const concurrency = Number(values.concurrency);
if (rooms.length === 0 || !Number.isInteger(concurrency) || concurrency < 1) {
  const problem =
    rooms.length === 0 ? `nothing to change in: ${positionals.join(' ')}` : '--concurrency takes a number';
  process.stderr.write(
    `${problem}\nusage: npm run mutation -- [FOLDER] [--quick] [--each] [--force] [--concurrency N]\n`,
  );
  process.exit(2);
}

/**
 * @param {Room} room
 * @param {string} directory
 * @returns {ConstructorParameters<typeof Stryker>[0]}
 */
function strykerOptions(room, directory) {
  return {
    mutate: room.files,
    plugins: [
      import.meta.resolve('@stryker-mutator/jest-runner'),
      import.meta.resolve('./mutation/ignore-sentences.mjs'),
    ],
    ignorers: ['sentences'],
    ignorePatterns: notCopied,
    testRunner: 'jest',
    jest: {
      configFile: 'jest.config.js',
      // It finds the tests beside the mirror of a room not to be related. Which tests judge is said in rooms.mjs alone.
      enableFindRelatedTests: false,
      // Nothing is built: the tests that start the program are not among these. What is in dist is not changed.
      config: {
        globalSetup: null,
        maxWorkers: 1,
        testMatch: room.tests.map((tests) => `<rootDir>/${tests}`),
        testPathIgnorePatterns: room.without,
        cacheDirectory: path.join(reports, 'jest-cache'),
        testTimeout: 10_000,
      },
    },
    coverageAnalysis: 'perTest',
    concurrency,
    // Each of them grows, and gets slower, with every service that its tests have started.
    maxTestRunnerReuse: 25,
    incremental: true,
    incrementalFile: path.join(directory, 'incremental.json'),
    force: values.force,
    ignoreStatic: values.quick,
    timeoutMS: 10_000,
    // Of this run alone: at its end, StrykerJS removes all of it, with what another run has there.
    tempDirName: path.join(os.tmpdir(), 'sandboxes'),
    reporters: ['html', 'progress-append-only'],
    htmlReporter: { fileName: path.join(directory, 'report.html') },
    // Of an enumeration in a package that this one brings along.
    logLevel: /** @type {any} */ ('warn'),
    allowEmpty: true,
  };
}

/** @param {Room} room */
async function tryRoom(room) {
  const directory = path.join(reports, room.at);
  mkdirSync(directory, { recursive: true });
  const options = strykerOptions(room, directory);
  forgetUnnoticed(options.incrementalFile ?? '');
  const all = await new Stryker(options).runMutationTest();
  // What an earlier run found out of these is known, and would flatter: those that it noticed, without the others.
  const results = values.quick ? all.filter((result) => result.static !== true) : all;
  writeFileSync(path.join(directory, 'survivors.txt'), survivors(root, results));
  return { name: room.name, ...scoreOf(results) };
}

if (!isConfined()) process.exit(await confine(reports));
process.chdir(root);
os.setPriority(lowestPriority);
const scores = [];
for (const room of rooms) {
  try {
    scores.push(await tryRoom(room));
  } catch (error) {
    // Mostly a test that fails without any change. The other rooms have hours of work behind or before them.
    process.stderr.write(`${room.name} could not be tried: ${String(error)}\n`);
    process.exitCode = 1;
  }
}
const isMany = values.each && scores.length > 1;
process.stdout.write(`\n${markdown(isMany ? [...scores, sumOf(given, scores)] : scores)}`);
