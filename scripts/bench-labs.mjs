#!/usr/bin/env node
// How long lists of templates and pictures of labs take, the first time and when nothing has changed since:
//   npm run build && scripts/bench-labs.mjs [--templates 5000] [--nodes 100,300]
// Wall time of a request to a service of its own, the median of those that follow the first one; of the first, processor time, too.
// --check: exit code 1 unless the templates take less than a second, the first time and after it, and the first picture of 100
// nodes does. On a machine that is busy with other things, the processor time of the first stands for it where it is less: these
// requests wait for little else.
import Table from 'cli-table3';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeLabCli } from './bench-labs/lab-cli.mjs';
import { median } from './lib/median.mjs';
import { readOptions } from './lib/options.mjs';
import { cpuSecondsOf } from './lib/process-usage.mjs';
import { plainEnvironment, startService } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';

const values = readOptions({
  templates: { type: 'string', default: '5000' },
  nodes: { type: 'string', default: '100,300' },
  check: { type: 'boolean', default: false },
});
const limitMs = 1_000;
const repetitions = 5;
const ground = temporaryDirectory('lab-api-bench-labs');

/** @param {string} name @param {(index: number) => string} place */
function writeTemplates(name, place) {
  const directory = path.join(ground, name);
  for (let index = 0; index < Number(values.templates); index += 1) {
    const file = path.join(directory, place(index));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(
      file,
      `name: lab${index}\nprovider: clab\ndefaults.device: frr\nnodes: [r1, r2, r3]\nlinks: [r1-r2, r2-r3]\n`,
    );
    utimesSync(file, 1_700_000_000, 1_700_000_000);
  }
  return directory;
}

/** Of the service, milliseconds so far. @param {number} pid */
function processorMs(pid) {
  const { user, system } = cpuSecondsOf(pid);
  return (user + system) * 1000;
}

/** Milliseconds of the first request, and of those that follow. @param {string} url @param {number} pid */
async function timesOf(url, pid) {
  const times = [];
  const before = processorMs(pid);
  let processor = 0;
  for (let nth = 0; nth <= repetitions; nth += 1) {
    const startMs = performance.now();
    const reply = await fetch(url);
    await reply.arrayBuffer();
    if (reply.status !== 200) throw new Error(`${url} answered ${reply.status}`);
    times.push(performance.now() - startMs);
    if (nth === 0) processor = processorMs(pid) - before;
  }
  const [first = 0, ...next] = times;
  return { first, processor, next: median(next) };
}

const sizes = values.nodes.split(',').map(Number);
const flat = writeTemplates('flat', (index) => `lab${index}.yml`);
const deep = writeTemplates('deep', (index) => `lab${index}/topology.yml`);
const env = {
  ...plainEnvironment(),
  LAB_API_CLI: writeLabCli(ground, sizes),
  LAB_API_DATA_DIR: path.join(ground, 'data'),
};
const service = await startService({ env });
try {
  const questions = {
    [`${values.templates} templates in one directory`]: `/templates?dir=${flat}`,
    [`${values.templates} templates in as many directories`]: `/templates?dir=${deep}&recursive=true`,
    ...Object.fromEntries(sizes.map((count) => [`picture of ${count} nodes`, `/labs/${count}/topology.svg`])),
  };
  const table = new Table({
    head: ['', 'first, ms', 'processor, ms', 'next, ms'],
    style: { head: [], border: [] },
  });
  const slow = [];
  for (const [name, target] of Object.entries(questions)) {
    const { first, processor, next } = await timesOf(service.url + target, service.child.pid ?? 0);
    table.push([name, first.toFixed(0), processor.toFixed(0), next.toFixed(1)]);
    const isHeld = name.includes('templates') || name === 'picture of 100 nodes';
    if (isHeld && Math.max(Math.min(first, processor), next) >= limitMs) slow.push(name);
  }
  process.stdout.write(`${table.toString()}\n`);
  if (values.check && slow.length > 0) {
    process.stderr.write(`${limitMs} ms or more: ${slow.join(', ')}\n`);
    process.exitCode = 1;
  }
} finally {
  await service.end();
}
