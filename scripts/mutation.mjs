#!/usr/bin/env node
/**
 * npm run mutation -- ROOM... [--quick] [--force] [--concurrency N]
 *
 * Changes the code of a room in one place at a time and checks whether a unit test of the room fails (StrykerJS). ROOM is a
 * folder or a file of src: `src/jobs/store`, `src/jobs/store/job-list.ts`. Ends with 1 when a room is below 75 %.
 *
 * Prints the changes that no test noticed and the scores; coverage/mutation/ROOM/report.html has the same as a page. A second run
 * tries only what has changed since; --force tries everything. --quick leaves out code that runs once, when a file is
 * loaded (tables, schemas, patterns). scripts/mutation/rooms.mjs has the tests that judge each room.
 *
 * A changed program may signal or erase the wrong thing, so this runs where there are no other processes and only
 * coverage/mutation can be written (unshare(1)): on Linux, as root or where users may make namespaces.
 */
import { mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { confine, isConfined } from './lib/confine.mjs';
import { readArguments } from './lib/options.mjs';
import { roomOf, withoutTests } from './mutation/rooms.mjs';

const root = path.resolve(import.meta.dirname, '..');
const reports = path.join(root, 'coverage/mutation');
const lowestPriority = 19;
const leastScore = 75;

const { values, positionals } = readArguments({
  quick: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  concurrency: { type: 'string', default: '1' },
});
process.chdir(root);
const rooms = positionals.map((given) => ({ given, room: roomOf(given) }));
const unknown = rooms.find(({ room }) => room === undefined);
const concurrency = Number(values.concurrency);
if (rooms.length === 0 || unknown || !Number.isInteger(concurrency) || concurrency < 1) {
  const problem = unknown ? `not in src: ${unknown.given}\n` : '';
  process.stderr.write(
    `${problem}usage: npm run mutation -- ROOM... [--quick] [--force] [--concurrency N]\n`,
  );
  process.exit(2);
}

/** @param {NonNullable<ReturnType<typeof roomOf>>} room @returns {ConstructorParameters<typeof Stryker>[0]} */
function strykerOptions({ at, files, tests }) {
  const directory = path.join(reports, at);
  mkdirSync(directory, { recursive: true });
  return {
    mutate: files,
    plugins: [
      import.meta.resolve('@stryker-mutator/jest-runner'),
      import.meta.resolve('./mutation/ignore-sentences.mjs'),
    ],
    ignorers: ['sentences'],
    // The tests need none of these. (`dist` is copied: some tests use the threads and the engine as they were built.)
    ignorePatterns: ['coverage', 'dist.*', 'docs', 'packaging', '*.tgz', 'tsconfig*.json'],
    testRunner: 'jest',
    jest: {
      configFile: 'jest.config.js',
      // It holds tests outside the mirror of a room for not related.
      enableFindRelatedTests: false,
      // Nothing is built: the tests that start the program are not among these. The files in dist are not changed.
      config: {
        globalSetup: null,
        maxWorkers: 1,
        testMatch: tests.map((test) => `<rootDir>/${test}`),
        testPathIgnorePatterns: withoutTests,
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
    // Of this run alone: at its end, StrykerJS removes all of it.
    tempDirName: path.join(os.tmpdir(), 'sandboxes'),
    reporters: ['clear-text', 'html', 'progress-append-only'],
    clearTextReporter: { reportTests: false },
    htmlReporter: { fileName: path.join(directory, 'report.html') },
    thresholds: { high: 90, low: leastScore, break: leastScore },
    // An enumeration in a package that StrykerJS depends on.
    logLevel: /** @type {any} */ ('warn'),
    allowEmpty: true,
  };
}

if (!isConfined()) process.exit(await confine(reports));
os.setPriority(lowestPriority);
for (const { given, room } of rooms) {
  if (room === undefined) continue;
  try {
    await new Stryker(strykerOptions(room)).runMutationTest();
  } catch (error) {
    // Mostly a test that fails without any change. The other rooms are tried all the same.
    process.stderr.write(`${given} could not be tried: ${String(error)}\n`);
    process.exitCode = 1;
  }
}
