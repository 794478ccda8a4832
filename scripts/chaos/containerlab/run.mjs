// Kills the service while the real containerlab starts and stops labs for its jobs, and checks the remains.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../lib/free-port.mjs';
import { endOf } from '../../lib/http.mjs';
import { jobProcesses, killJobProcesses } from '../../lib/job-processes.mjs';
import { must } from '../../lib/words.mjs';
import { finalJobs } from '../audit.mjs';
import { Ledger } from '../ledger.mjs';
import { Service } from '../service.mjs';
import { User, useService } from '../user.mjs';
import { auditJobs, compareLabs, namesNetwork } from './audit.mjs';
import { jobMaker, leftOf, makeLabs, makeProgram, removeRest, topologyOf } from './labs.mjs';

const labCount = 4;
const clients = 6;
/** After so many kills, the scenario waits for all jobs and checks the labs. */
const killsPerRound = 6;
/** @typedef {import('../../lib/random.mjs').Random} Random */
/** @typedef {import('./audit.mjs').Job} Job */
/** @typedef {Awaited<ReturnType<typeof makeStage>>} Stage */

/** The program of that name on PATH. */
function realContainerlab() {
  const files = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((directory) => path.join(directory, 'containerlab'));
  const file = files.find((one) => existsSync(one));
  must(file !== undefined, 'there is no containerlab on PATH');
  return file;
}

/** @param {string} temporary */
async function makeStage(temporary) {
  const inside = (/** @type {string} */ name) => path.join(temporary, name);
  for (const name of ['home', 'state', 'bin', 'workspaces']) mkdirSync(inside(name));
  const mark = `LAB_CHAOS_STATE=${inside('state')}`;
  const service = new Service(
    {
      PATH: process.env['PATH'],
      DOCKER_HOST: process.env['DOCKER_HOST'],
      HOME: inside('home'),
      LAB_CHAOS_STATE: inside('state'),
      LAB_API_CLI: makeProgram(inside('bin'), inside('state'), realContainerlab()),
      LAB_API_DATA_DIR: inside('data'),
      LAB_API_WORKSPACES_DIR: inside('workspaces'),
      LAB_API_CANCEL_GRACE: '1s',
      LAB_API_MIN_FREE_DISK: '1MiB',
      LAB_API_MAX_RUNNING_JOBS: '3',
      LAB_API_MAX_QUEUED_JOBS: '8',
    },
    { bind: '127.0.0.1', port: await freePort(), within: [] },
  );
  return {
    service,
    labs: makeLabs(labCount),
    ledger: new Ledger(),
    state: inside('state'),
    dataDir: inside('data'),
    workspaces: inside('workspaces'),
    mark,
    /** Living processes of jobs of this run. */
    ourProcesses: () => jobProcesses((_id, environment) => environment.includes(mark)),
    /** The remains of each lab at each check, according to its jobs. @type {string[]} */
    told: [],
    killsAtWork: 0,
  };
}

/** @param {Stage} stage */
async function makeWorkspaces({ service, labs }) {
  for (const lab of labs) {
    const base = `${service.url}/workspaces/${lab.name}`;
    const files = [
      ['', undefined],
      ['/files/lab.clab.yml', topologyOf(lab)],
      ['/files/marks/about', 'Each command in a node leaves a mark here.\n'],
    ];
    for (const [target, body] of files) {
      const reply = await fetch(`${base}${target}`, {
        method: 'PUT',
        ...(body === undefined ? {} : { body }),
      });
      must(reply.ok, `PUT ${lab.name}${target} answered ${reply.status}: ${await reply.text()}`);
    }
  }
}

/** Waits until a lab is started or stopped, for some seconds. @param {Stage} stage */
async function untilAtWork({ service }) {
  for (const endsAt = performance.now() + 3_000; performance.now() < endsAt; await delay(50)) {
    const { body } = await service.request('GET', '/jobs?state=running&limit=20');
    if (body.jobs.some((/** @type {Job} */ { action }) => action !== 'exec')) return;
  }
}

/** Each life ends at another moment, most while containerlab is at work, some before the service listens. @param {Stage} stage @param {Random} random */
async function live(stage, random) {
  const listening = stage.service.start();
  if (random() < 0.2) await delay(random() * 600);
  else {
    await listening;
    await delay(random() * 4_000);
    await untilAtWork(stage);
    await delay(random() * 500);
  }
  if (stage.ourProcesses().length > 0) stage.killsAtWork += 1;
  await stage.service.kill();
}

/** @param {Stage} stage @param {number} kills @param {Random} random @param {ReturnType<typeof jobMaker>} makeJob */
async function round(stage, kills, random, makeJob) {
  const { service, ledger } = stage;
  const over = new AbortController();
  const means = { services: [service], ledger, random, makeJob, signal: over.signal };
  const load = Array.from({ length: clients }, async () => {
    const user = new User(means);
    const [submit, cancel] = [async () => user.submit(), async () => user.cancel()];
    const others = [async () => user.submitOnce(), async () => user.look(), async () => user.retry()];
    // Nothing is removed: of each job its outcome is needed.
    return useService(user, [submit, submit, cancel, cancel, ...others]);
  });
  for (let life = 0; life < kills; life += 1) await live(stage, random);
  over.abort();
  await service.start();
  // Some of them insist on a reply.
  await Promise.all(load);
  const jobs = /** @type {Job[]} */ (/** @type {unknown} */ (await finalJobs(service)));
  const left = stage.ourProcesses().map(({ pid, id }) => `process ${pid} of ${id} is left`);
  const { found, told } = await compareLabs(service, stage.labs, jobs);
  stage.told.push(...told);
  ledger.violations.push(...found, ...left);
  return jobs;
}

/** Takes all labs down as a user would, and says what that leaves. @param {Stage} stage */
async function takeDown({ service, labs }) {
  /** @type {string[]} */
  const found = [];
  for (const { name } of labs) {
    const before = leftOf(name);
    const body = { action: 'down', workspace: name, cleanup: true, force: true };
    const reply = await service.request('POST', '/jobs', { body });
    const job = reply.status === 202 ? await endOf(service.url, reply.body.id) : reply.body;
    if (before.containers.length > 0 && job.state !== 'success')
      found.push(`the last down of ${name} is ${job.state}: ${job.error}`);
    const { containers, network } = leftOf(name);
    const isNamed = namesNetwork(job.warnings ?? [], name);
    if (containers.length > 0 || (network && !isNamed))
      found.push(
        `after the last down (${job.error ?? job.state}), ${name} has ${containers.length} containers${network ? ' and its network' : ''}`,
      );
  }
  return found;
}

/** @param {Stage} stage @param {readonly Job[]} jobs */
function show({ ledger, told, killsAtWork }, jobs) {
  /** @type {Record<string, Record<string, number>>} */
  const table = {};
  for (const job of jobs) {
    const row = (table[job.cleanupOf === null ? job.action : 'down by the service'] ??= {
      jobs: 0,
      success: 0,
      failed: 0,
      canceled: 0,
    });
    row['jobs'] = (row['jobs'] ?? 0) + 1;
    row[job.state] = (row[job.state] ?? 0) + 1;
  }
  console.table(table);
  const count = (/** @type {string} */ what) => told.filter((one) => one === what).length;
  console.log(
    `${killsAtWork} kills came while a command of a job was at work; ${jobs.length} jobs, ${ledger.accepted.size} of them with a reply; ` +
      `${told.length} checks of labs; according to their jobs: all there ${count('all')}, nothing ${count('nothing')}, its network ${count('its network')}, perhaps its network ${count('perhaps its network')}, perhaps something ${count('perhaps something')}`,
  );
}

/** @param {Stage} stage @param {{ kills: number, random: Random }} options */
async function run(stage, { kills, random }) {
  const { service, ledger, labs } = stage;
  const makeJob = jobMaker(labs);
  await service.start();
  await makeWorkspaces(stage);
  await service.kill();
  /** @type {readonly Job[]} */
  let jobs = [];
  for (let done = 0; done < kills; done += killsPerRound) {
    jobs = await round(stage, Math.min(killsPerRound, kills - done), random, makeJob);
    console.log(`${Math.min(done + killsPerRound, kills)} of ${kills} kills, ${jobs.length} jobs`);
    if (done + killsPerRound < kills) await service.kill();
  }
  const found = auditJobs({ ...stage, jobs });
  show(stage, jobs);
  ledger.violations.push(...found, ...(await takeDown(stage)));
}

/** @param {import('../../chaos.mjs').Options} options @returns {Promise<import('../../lib/trial.mjs').Trial>} */
export async function build(options) {
  const stage = await makeStage(options.temporary);
  const { service, ledger, labs } = stage;
  return {
    violations: ledger.violations,
    run: async () => run(stage, options),
    end: async () => {
      await service.kill('SIGTERM');
      killJobProcesses(stage.mark);
      for (const { name } of labs) removeRest(name);
      ledger.violations.push(...service.errors);
    },
    accepted: () => ledger.accepted.size,
  };
}
