#!/usr/bin/env node
// Kills the built service with SIGKILL again and again while clients submit (also with keys), cancel, retry and remove
// jobs of all kinds, and audits what is left: every accepted job has ended, none ran twice, a key stands for one job, a
// canceled `up` has its one `down`, exit codes and logs are right, no process is left.
//   scripts/chaos.mjs [--kills N] [--seed N] [--engine | --netlab]
//   scripts/chaos.mjs --cluster [--kills N] [--seed N]
//   scripts/chaos.mjs --containerlab [--kills N] [--seed N]
// With --cluster, three services and their Redis are killed, restarted (Redis also without its data) and cut off from one
// another while clients use all three: no accepted job may be lost, doubled, or run on two hosts, and every log must be whole
// through every host. As root, each has a network namespace of its own; otherwise no connections are cut.
// With --containerlab, the service is killed while the containerlab on PATH starts and stops labs of two or three nodes
// (python:3.13-alpine) for its jobs: besides, no container and no network may be left that the outcomes of the jobs deny. Needs
// Docker and root; 30 kills take some minutes. All that was made is taken away again.
// Ends with 1 on any violation, and keeps the data directory then.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { audit, finalJobs } from './chaos/audit.mjs';
import { runClusterChaos } from './chaos/cluster/run.mjs';
import { runContainerlabChaos } from './chaos/containerlab/run.mjs';
import { kinds, topologyOf } from './chaos/kinds.mjs';
import { Ledger } from './chaos/ledger.mjs';
import { makeRandom } from './lib/random.mjs';
import { useService } from './chaos/user.mjs';
import { Service } from './chaos/service.mjs';
import { freePort } from './lib/free-port.mjs';
import { endOf } from './lib/http.mjs';
import { jobProcesses } from './lib/job-processes.mjs';
import { readOptions } from './lib/options.mjs';
import { root } from './lib/service.mjs';

const users = 6;
const directories = 12;
const options = readOptions({
  kills: { type: 'string', default: '100' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  engine: { type: 'boolean', default: false },
  netlab: { type: 'boolean', default: false },
  cluster: { type: 'boolean', default: false },
  containerlab: { type: 'boolean', default: false },
});
const kills = Number(options.kills);
if (options.cluster) process.exit(await runClusterChaos({ kills, seed: Number(options.seed) }));
if (options.containerlab) process.exit(await runContainerlabChaos({ kills, seed: Number(options.seed) }));
const isReal = options.engine || options.netlab;

const temporary = mkdtempSync(path.join(os.tmpdir(), 'lab-api-chaos-'));
const inside = (/** @type {string} */ name) => path.join(temporary, name);
const state = inside('state');
const dataDir = inside('data');
const workdirs = /** @type {[string]} */ (
  Array.from({ length: directories }, (_, index) => inside(`lab-${index}`))
);
for (const directory of [state, inside('home'), ...workdirs]) mkdirSync(directory);

const lab = options.engine
  ? 'engine'
  : options.netlab
    ? 'netlab'
    : path.join(root, 'tests/fixtures/programs/fake-netlab');
const assignment = `FAKE_LAB_STATE=${state}`;
/** Living processes of jobs of this run. */
const ourProcesses = () => jobProcesses((_id, environment) => environment.includes(assignment));
const service = new Service({
  PATH: process.env.PATH,
  HOME: inside('home'),
  LAB_HOME: inside('home'),
  FAKE_LAB_STATE: state,
  LAB_API_CLI: lab,
  LAB_API_DATA_DIR: dataDir,
  LAB_API_PORT: String(await freePort()),
  LAB_API_CANCEL_GRACE: '300ms',
  LAB_API_MIN_FREE_DISK: '1MiB',
  LAB_API_MAX_RUNNING_JOBS: '10',
  LAB_API_MAX_QUEUED_JOBS: '40',
});
const ledger = new Ledger();

/** @typedef {import('./lib/random.mjs').Random} Random */
/** @typedef {import('./chaos/ledger.mjs').Job} Job */
/** @typedef {import('./chaos/kinds.mjs').Kind} Kind */

/** One of them. @template Item @param {Random} random @param {readonly [Item, ...Item[]]} list */
const some = (random, list) => list[Math.floor(random() * list.length)] ?? list[0];

/** A job of the fake lab CLI. @param {Random} random */
function makeFakeJob(random) {
  const [name, kind] = some(random, /** @type {[[string, Kind]]} */ (Object.entries(kinds)));
  const { exit, lines, timeoutSeconds, onCancel } = kind;
  const log = lines.map((line) => `${line}\n`).join('');
  return {
    task: { kind: name, exit, timeoutSeconds, log, onCancel, countsStarts: true },
    body: {
      action: onCancel === undefined ? 'create' : 'up',
      ...(onCancel === undefined ? {} : { onCancel }),
      workdir: some(random, workdirs),
      topology: topologyOf(kind),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    },
  };
}

/** Makes jobs that plan an example with a real lab CLI, whose words are known from a first, undisturbed run. */
async function realJobs() {
  const topology = readFileSync(
    path.join(root, 'examples', options.netlab ? 'ospf' : 'triangle', 'topology.yml'),
    'utf8',
  );
  const body = { action: 'create', topology };
  // Twice in each directory: the second one speaks of the files that it finds there, like all that follow.
  let log = '';
  for (const workdir of workdirs.flatMap((directory) => [directory, directory])) {
    const request = { ...body, workdir, labels: { chaos: 'first' } };
    const { body: job } = await service.request('POST', '/jobs', { body: request });
    const ended = await endOf(service.url, job.id);
    if (ended.state !== 'success') throw new Error(`the lab CLI cannot create the example: ${ended.error}`);
    log = (await service.request('GET', `/jobs/${job.id}/log?output=text`)).body;
  }
  const task = { kind: 'create', exit: 0, timeoutSeconds: undefined, log, countsStarts: false };
  ledger.submitted.set('first', task);
  return (/** @type {Random} */ random) => ({ task, body: { ...body, workdir: some(random, workdirs) } });
}

/** Starts and kills the service; each life ends at another moment, some of them before the service listens. @param {Random} random */
async function killRepeatedly(random) {
  for (let life = 1; life <= kills; life += 1) {
    const listening = service.start();
    if (random() < 0.3) await delay(random() * 600);
    else {
      await listening;
      await delay(random() * 1_500);
      if (life % 10 === 0) await checkOwner(life);
    }
    await service.kill();
    if (life % 10 === 0) console.log(`${life} of ${kills} kills, ${ledger.accepted.size} jobs`);
  }
}

/** @param {number} life */
async function checkOwner(life) {
  const reason = await service.secondOwner();
  if (!reason?.includes('is in use by'))
    ledger.violations.push(`life ${life}: a second service started: ${reason}`);
}

async function waitForProcesses() {
  const deadline = performance.now() + 20_000;
  while (ourProcesses().length > 0 && performance.now() < deadline) await delay(200);
  return ourProcesses().map(({ pid, id }) => `process ${pid} of ${id} is left`);
}

/** @param {Random} random */
async function run(random) {
  await service.start();
  const makeJob = isReal ? await realJobs() : makeFakeJob;
  await service.kill();
  const over = new AbortController();
  const clients = Array.from({ length: users }, () =>
    useService({ service, ledger, random, makeJob, signal: over.signal }),
  );
  await killRepeatedly(random);
  over.abort();
  await service.start();
  // Some of them insist on a reply.
  await Promise.all(clients);
  console.log('letting all jobs end');
  const jobs = await finalJobs(service);
  // `canceled` says that nothing is left, so this is looked at once, and now.
  const canceled = new Set(
    jobs.filter((job) => job.reason === 'canceled' || job.reason === 'timeout').map(({ id }) => id),
  );
  const survivors = ourProcesses().filter(({ id }) => canceled.has(id));
  const left = survivors.map(({ pid, id }) => `process ${pid} of ${id} outlived its cancel`);
  const found = await audit({ service, ledger, jobs, state, dataDir });
  return { jobs, violations: [...found, ...left, ...(await waitForProcesses())] };
}

/** @param {readonly Job[]} jobs */
function showOutcomes(jobs) {
  /** @type {Record<string, Record<string, number>>} */
  const table = {};
  for (const job of jobs) {
    const kind =
      job.cleanupOf === null ? (ledger.submitted.get(job.labels['chaos'] ?? '')?.kind ?? '?') : 'down';
    const row = (table[kind] ??= { jobs: 0, success: 0, failed: 0, canceled: 0, timeout: 0, interrupted: 0 });
    const end = ['timeout', 'interrupted'].includes(job.reason) ? job.reason : job.state;
    row['jobs'] = (row['jobs'] ?? 0) + 1;
    row[end] = (row[end] ?? 0) + 1;
  }
  console.table(table);
  const accepted = jobs.filter(({ id }) => ledger.accepted.has(id)).length;
  const downs = jobs.filter(({ cleanupOf }) => cleanupOf !== null).length;
  console.log(
    `${jobs.length} jobs are left: ${accepted} of the ${ledger.accepted.size} that were accepted (clients removed the rest), ` +
      `${downs} that the service queued itself, ${jobs.length - accepted - downs} whose reply was lost in a kill or that planned the example`,
  );
}

console.log(`seed ${options.seed}, ${kills} kills`);
const random = makeRandom(Number(options.seed));
const started = performance.now();
let violations = ['the run did not come to its end'];
try {
  const result = await run(random);
  showOutcomes(result.jobs);
  violations = result.violations;
} catch (error) {
  violations = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
} finally {
  await service.kill('SIGTERM');
  for (const { pid } of ourProcesses()) process.kill(pid, 'SIGKILL');
}
for (const violation of violations) console.log(`VIOLATION ${violation}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(
  `${violations.length} violations, ${ledger.accepted.size} accepted jobs, ${seconds} s, seed ${options.seed}`,
);
if (violations.length > 0) {
  console.log(`kept: ${temporary}`);
  process.exitCode = 1;
} else rmSync(temporary, { recursive: true, force: true });
