#!/usr/bin/env node
// Measures what jobs cost, on the built program: npm run build && scripts/bench-jobs.mjs [--check]
//   start    from POST /jobs to the first byte that the lab CLI prints, and short jobs per second, against spawning it
//   create   "create" of a topology through the API against the same command line (netlab when it is on PATH)
//   records  a start with 100,000 finished jobs on disk, with and without the index file, pages of them, and memory
// Prints a table with targets; with --check, exit code 1 when one is missed. Everything happens in a temporary directory.
import { spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Table from 'cli-table3';
import { readOptions } from './lib/options.mjs';

const program = path.resolve(import.meta.dirname, '..', 'dist', 'main.js');
const options = readOptions({
  parts: { type: 'string', default: 'start,create,records' },
  jobs: { type: 'string', default: '100' },
  runs: { type: 'string', default: '10' },
  records: { type: 'string', default: '100000' },
  check: { type: 'boolean', default: false },
});
const jobCount = Number(options.jobs);
const runCount = Number(options.runs);
const recordCount = Number(options.records);

const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'lab-api-bench-')));
/** @type {Set<import('node:child_process').ChildProcess>} */
const services = new Set();
const rows = [];

function cleanUp() {
  for (const child of services) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    cleanUp();
    process.exit(130);
  });
}

const progress = (text) => process.stderr.write(`${text}\n`);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const milliseconds = (value) => `${value < 100 ? value.toFixed(1) : value.toFixed(0)} ms`;

const ratio = (value) => value.toFixed(3);

/** Notes a figure; without a limit it has no target. */
function note(what, value, limit, format) {
  rows.push({
    what,
    value: format(value),
    target: limit === undefined ? '' : `< ${format(limit)}`,
    missed: value > limit,
  });
}

/** Starts the service; `readyMs` from there to the first 200 of /readyz. */
async function startService(dataDir, variables = {}) {
  const began = performance.now();
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LAB_API_'));
  const child = spawn(
    process.execPath,
    [program, 'api', '--bind', '127.0.0.1', '--port', '0', '--data-dir', dataDir],
    {
      env: {
        ...Object.fromEntries(inherited),
        LAB_API_LOG_FORMAT: 'text',
        LAB_HOME: path.join(root, 'home'),
        LAB_API_KEEP_JOBS: '10000000',
        LAB_API_KEEP_DAYS: '36500',
        ...variables,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  services.add(child);
  let said = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = /listening url=(\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
    child.once('exit', () => reject(new Error(`the service did not start:\n${said}`)));
  });
  while (!(await fetch(`${url}/readyz`)).ok) await delay(5);
  const readyMs = performance.now() - began;
  const stop = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
    services.delete(child);
  };
  return { url, readyMs, stop, pid: child.pid };
}

async function call(url, body) {
  const reply = await fetch(url, body && { method: 'POST', body: JSON.stringify(body) });
  const document = await reply.json();
  if (!reply.ok) throw new Error(`${url}: ${document.error}`);
  return document;
}

/** A job from its submission to its end, which is where the log that is followed ends. */
async function runJob(url, body) {
  const { id } = await call(`${url}/jobs`, body);
  await (await fetch(`${url}/jobs/${id}/log?follow=true`)).text();
  const job = await call(`${url}/jobs/${id}`);
  if (job.state !== 'success') throw new Error(`${body.action} is ${job.state}: ${job.error}`);
  return job;
}

/** The same without the service: output into a file as well. */
async function runDirectly([file, ...args], cwd) {
  const log = openSync(path.join(cwd, 'direct.log'), 'w');
  const child = spawn(file, args, { cwd, stdio: ['ignore', log, log] });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  closeSync(log);
  if (code !== 0)
    throw new Error(`${file} ended with ${code}: ${readFileSync(path.join(cwd, 'direct.log'), 'utf8')}`);
}

/** For netlab and for the bundled engine. */
const topology =
  'provider: clab\ndefaults.device: linux\nnodes: [h1, h2, h3]\nlinks: [h1-h2, h2-h3, h3-h1]\n';

let workdirCount = 0;
function makeWorkdir() {
  const workdir = path.join(root, `lab-${(workdirCount += 1)}`);
  mkdirSync(workdir);
  writeFileSync(path.join(workdir, 'topology.yml'), topology);
  return workdir;
}

async function timed(action) {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

/** `count` runs, as many side by side as there are processors, which is what the service does too. */
async function sideBySide(count, action) {
  let started = 0;
  const lane = async () => {
    while (started < count) {
      started += 1;
      await action();
    }
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, lane));
}

async function benchStart() {
  const cli = path.join(root, 'prints-the-time');
  writeFileSync(cli, '#!/bin/sh\ndate +%s%N\n', { mode: 0o755 });
  const service = await startService(path.join(root, 'start'), { LAB_API_CLI: cli });
  const printedAt = (text) => Number(BigInt(text.trim()) / 1000n) / 1000;
  const now = () => performance.timeOrigin + performance.now();
  const body = (workdir) => ({ action: 'up', workdir });
  const [throughApi, direct] = [[], []];
  for (let run = 0; run < runCount * 2; run += 1) {
    const workdir = makeWorkdir();
    let began = now();
    const { id } = await runJob(service.url, body(workdir));
    const log = await (await fetch(`${service.url}/jobs/${id}/log?output=text`)).text();
    throughApi.push(printedAt(log) - began);
    began = now();
    await runDirectly([cli], workdir);
    direct.push(printedAt(readFileSync(path.join(workdir, 'direct.log'), 'utf8')) - began);
  }
  note('start: POST /jobs to the first byte in the log', median(throughApi), undefined, milliseconds);
  note('start: spawn to the first byte, directly', median(direct), undefined, milliseconds);

  progress(`${jobCount} short jobs`);
  const workdirs = Array.from({ length: jobCount }, makeWorkdir);
  const jobsMs = await timed(async () => {
    for (const workdir of workdirs) await call(`${service.url}/jobs`, body(workdir));
    const unfinished = `${service.url}/jobs?state=queued,running&limit=1`;
    while ((await call(unfinished)).jobs.length > 0) await delay(10);
  });
  const directMs = await timed(async () => {
    const left = [...workdirs];
    await sideBySide(jobCount, async () => runDirectly([cli], left.pop() ?? root));
  });
  note('start: ratio', median(throughApi) / median(direct), undefined, ratio);
  const rate = (value) => `${value.toFixed(0)} /s`;
  note('start: short jobs through the API', (jobCount * 1000) / jobsMs, undefined, rate);
  note('start: the same program directly', (jobCount * 1000) / directMs, undefined, rate);
  note('start: ratio of the rates', jobsMs / directMs, undefined, ratio);
  await service.stop();
}

async function benchCreate() {
  const service = await startService(path.join(root, 'create'));
  const job = await runJob(service.url, { action: 'create', workdir: makeWorkdir() });
  const cli = path.basename(job.command[0]) === 'netlab' ? 'netlab' : 'bundled engine';
  const [throughApi, direct] = [[], []];
  for (let run = 0; run < runCount; run += 1) {
    progress(`create with the ${cli}: ${run + 1} of ${runCount}`);
    const [one, other] = [makeWorkdir(), makeWorkdir()];
    const viaApi = async () =>
      throughApi.push(await timed(async () => runJob(service.url, { action: 'create', workdir: one })));
    const alone = async () => direct.push(await timed(async () => runDirectly(job.command, other)));
    // In turns: whoever comes second finds warm caches.
    for (const action of run % 2 === 0 ? [viaApi, alone] : [alone, viaApi]) await action();
  }
  note(`create: through the API, ${cli}`, median(throughApi), undefined, milliseconds);
  note('create: the same command directly', median(direct), undefined, milliseconds);
  note('create: ratio', median(throughApi) / median(direct), 1.05, ratio);
  await service.stop();
}

function recordOf(number, ms) {
  const at = new Date(ms).toISOString();
  const isFailed = number % 7 === 0;
  return {
    id: `job-${ms}-${(number % 0xffffff).toString(16).padStart(6, '0')}`,
    action: ['up', 'create', 'down', 'collect', 'status'][number % 5],
    state: isFailed ? 'failed' : 'success',
    createdAt: at,
    startedAt: at,
    finishedAt: new Date(ms + 5_000).toISOString(),
    error: isFailed ? 'netlab up failed: Cannot proceed beyond this point due to errors, exiting' : null,
    workdir: `/labs/course-${number % 500}`,
    reason: 'exited',
    exitCode: isFailed ? 1 : 0,
    signal: null,
    command: ['/usr/bin/netlab', 'up', 'topology.yml'],
    request: { action: 'up', workdir: `/labs/course-${number % 500}` },
    warnings: [],
    instance: null,
    labels: number % 3 === 0 ? { team: `t${number % 40}` } : {},
    requestedBy: 'ops',
    retryOf: null,
    timeoutMs: 14_400_000,
    stopRequest: null,
    logSize: 18,
    progress: { message: 'Created something', at },
    leftovers: [],
  };
}

/** One job a minute, the last one an hour ago. */
function makeRecords(dataDir) {
  const newest = Date.now() - 3_600_000;
  for (let number = 0; number < recordCount; number += 1) {
    const record = recordOf(number, newest - (recordCount - number) * 60_000);
    const directory = path.join(dataDir, 'jobs', record.id);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(directory, 'job.json'), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    writeFileSync(path.join(directory, 'log'), 'Created something\n', { mode: 0o600 });
  }
}

/** Pages at places that nobody looked at before; the query is one of the list's filters. */
async function pageTime(url, query) {
  const newest = Date.now() - 3_600_000;
  const times = [];
  for (let page = 1; page <= 75; page += 1) {
    const cursor = query.includes('cursor')
      ? newest - Math.floor((recordCount * page) / 80) * 60_000
      : undefined;
    const target = `${url}/jobs?limit=100&${query.replace('cursor', cursor ? `cursor=job-${cursor}-000000` : '')}`;
    times.push(await timed(async () => (await fetch(target)).arrayBuffer()));
  }
  // The first ones pay for the compiler, the first twenty or so for its second thoughts.
  return median(times.slice(5));
}

async function benchRecords() {
  const dataDir = path.join(root, 'records');
  progress(`making ${recordCount} records`);
  makeRecords(dataDir);
  const variables = { LAB_API_CLI: 'engine' };
  progress('a start without the index file');
  const first = await startService(dataDir, variables);
  note('records: ready without the index file', first.readyMs, undefined, milliseconds);
  await first.stop();
  progress('starts with the index file');
  const ready = [];
  for (let run = 0; run < 4; run += 1) {
    const service = await startService(dataDir, variables);
    ready.push(service.readyMs);
    await service.stop();
  }
  const service = await startService(dataDir, variables);
  note('records: ready with the index file', median([...ready, service.readyMs]), 2_000, milliseconds);
  const pages = {
    'first page': '',
    'first page of the failed ones': 'state=failed',
    'deep page': 'cursor',
    'deep page of one team': 'label=team%3Dt9&cursor',
    'no match at all': 'workdir=/nowhere',
  };
  for (const [name, query] of Object.entries(pages)) {
    note(`records: ${name}, 100 jobs`, await pageTime(service.url, query), 10, milliseconds);
  }
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
  note('records: most memory at any time', Number(peak) / 1024, 300, (value) => `${value.toFixed(0)} MiB`);
  await service.stop();
}

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

const parts = { start: benchStart, create: benchCreate, records: benchRecords };
try {
  for (const part of options.parts.split(',')) {
    const bench = parts[part];
    if (!bench) throw new Error(`there is no part "${part}": use ${Object.keys(parts).join(', ')}`);
    await bench();
  }
  printTable();
  if (options.check && rows.some(({ missed }) => missed)) process.exitCode = 1;
} catch (error) {
  progress(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  // Last, because it takes longer than anything else: there may be 100,000 directories.
  cleanUp();
}
