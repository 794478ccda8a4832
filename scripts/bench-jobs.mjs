#!/usr/bin/env node
// Measures what jobs cost, on the built program: npm run build && scripts/bench-jobs.mjs [--check]
//   start    from POST /jobs to the first byte that the lab CLI prints, and short jobs per second, against spawning it
//   create   "create" of a topology through the API against the same command line (netlab when it is on PATH)
//   records  a start with 100,000 finished jobs on disk, with and without the index file, pages of them, and memory
// Prints a table with targets; with --check, exit code 1 when one is missed. Everything happens in a temporary directory.
import os from 'node:os';
import Table from 'cli-table3';
import { benchCreate } from './bench-jobs/create.mjs';
import { cleanUp, progress, rows } from './bench-jobs/measure.mjs';
import { benchRecords } from './bench-jobs/records.mjs';
import { benchStart } from './bench-jobs/start.mjs';
import { interrupted } from './lib/interrupted.mjs';
import { readOptions } from './lib/options.mjs';
import { messageOf } from './lib/words.mjs';

const options = readOptions({
  parts: { type: 'string', default: 'start,create,records' },
  jobs: { type: 'string', default: '100' },
  runs: { type: 'string', default: '10' },
  records: { type: 'string', default: '100000' },
  check: { type: 'boolean', default: false },
});

function printTable() {
  const load = os.loadavg()[0] ?? 0;
  if (load > os.availableParallelism() + 1)
    progress(`the machine is busy (load ${load.toFixed(1)}): times mean little`);
  const table = new Table({
    head: ['what', 'measured', 'target', ''],
    style: { head: [], border: [] },
    colAligns: ['left', 'right', 'right'],
  });
  for (const { what, value, target, missed } of rows) {
    table.push([what, value, target, target === '' ? '' : missed ? 'MISSED' : 'met']);
  }
  process.stdout.write(`${table.toString()}\n`);
}

const amounts = {
  jobs: Number(options.jobs),
  runs: Number(options.runs),
  records: Number(options.records),
};
const parts = new Map(Object.entries({ start: benchStart, create: benchCreate, records: benchRecords }));

async function benchAll() {
  for (const part of options.parts.split(',')) {
    const bench = parts.get(part);
    if (!bench) throw new Error(`there is no part "${part}": use ${[...parts.keys()].join(', ')}`);
    await bench(amounts);
  }
}

try {
  await Promise.race([benchAll(), interrupted()]);
  printTable();
  if (options.check && rows.some(({ missed }) => missed)) process.exitCode = 1;
} catch (error) {
  progress(messageOf(error));
  process.exitCode = 1;
} finally {
  await cleanUp();
}
// Whatever of an interrupted part goes on.
process.exit();
