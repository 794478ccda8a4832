// Kills one service while clients use it and follow its events, and audits what is left.
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../lib/free-port.mjs';
import { endOf } from '../lib/http.mjs';
import { jobProcesses, killJobProcesses } from '../lib/job-processes.mjs';
import { some } from '../lib/random.mjs';
import { root } from '../lib/service.mjs';
import { audit, finalJobs } from './audit.mjs';
import { auditFollowers, Follower } from './follower.mjs';
import { kinds, logOf, topologyOf } from './kinds.mjs';
import { Ledger } from './ledger.mjs';
import { Service } from './service.mjs';
import { User, useService } from './user.mjs';

const users = 6;
const directories = 12;

/** @typedef {import('../lib/random.mjs').Random} Random */
/** @typedef {import('./kinds.mjs').Task} Task */
/** @typedef {import('./ledger.mjs').Job} Job */
/** @typedef {import('../chaos.mjs').Options} Options */
/** @typedef {Awaited<ReturnType<typeof makeStage>>} Stage */

/** @param {Options} options */
async function makeStage({ temporary, cli, followers }) {
  const inside = (/** @type {string} */ name) => path.join(temporary, name);
  const workdirs = Array.from({ length: directories }, (_, index) => inside(`lab-${index}`));
  for (const directory of [inside('state'), inside('home'), ...workdirs]) mkdirSync(directory);
  const environment = {
    PATH: process.env.PATH,
    HOME: inside('home'),
    LAB_HOME: inside('home'),
    FAKE_LAB_STATE: inside('state'),
    LAB_API_CLI: cli ?? path.join(root, 'tests/fixtures/programs/fake-netlab'),
    LAB_API_DATA_DIR: inside('data'),
    LAB_API_CANCEL_GRACE: '300ms',
    LAB_API_MIN_FREE_DISK: '1MiB',
    LAB_API_MAX_RUNNING_JOBS: '10',
    LAB_API_MAX_QUEUED_JOBS: '40',
  };
  const service = new Service(environment, { bind: '127.0.0.1', port: await freePort(), within: [] });
  const mark = `FAKE_LAB_STATE=${inside('state')}`;
  return {
    service,
    workdirs,
    state: inside('state'),
    dataDir: inside('data'),
    mark,
    /** Living processes of jobs of this run. */
    ourProcesses: () => jobProcesses((_id, entries) => entries.includes(mark)),
    ledger: new Ledger(),
    followers: Array.from({ length: followers }, () => new Follower(service.url)),
  };
}

/** Makes jobs of the fake lab CLI. @param {readonly string[]} workdirs */
const fakeJobs = (workdirs) => (/** @type {Random} */ random) => {
  /** @type {[string, import('./kinds.mjs').Kind]} */
  const [name, kind] = some(random, Object.entries(kinds));
  const { exit, timeoutSeconds, onCancel } = kind;
  return {
    task: { kind: name, exit, timeoutSeconds, log: logOf(kind), onCancel, countsStarts: true },
    body: {
      action: onCancel === undefined ? 'create' : 'up',
      ...(onCancel === undefined ? {} : { onCancel }),
      workdir: some(random, workdirs),
      topology: topologyOf(kind),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    },
  };
};

/** Makes jobs that plan an example with a real lab CLI, whose words are known from a first, undisturbed run. @param {Stage} stage @param {'engine' | 'netlab'} cli */
async function realJobs({ service, workdirs, ledger }, cli) {
  const example = cli === 'netlab' ? 'ospf' : 'triangle';
  const topology = readFileSync(path.join(root, 'examples', example, 'topology.yml'), 'utf8');
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
  ledger.submitted.set('first', { ...task, key: undefined });
  return (/** @type {Random} */ random) => ({ task, body: { ...body, workdir: some(random, workdirs) } });
}

/** Starts and kills the service; each life ends at another moment, some of them before the service listens. @param {Stage} stage @param {Options} options */
async function killRepeatedly({ service, ledger }, { kills, random }) {
  for (let life = 1; life <= kills; life += 1) {
    const listening = service.start();
    if (random() < 0.3) await delay(random() * 600);
    else {
      await listening;
      await delay(random() * 1_500);
      const reason = life % 10 === 0 ? await service.secondOwner() : 'is in use by';
      if (!reason?.includes('is in use by'))
        ledger.violations.push(`life ${life}: a second service started: ${reason}`);
    }
    await service.kill();
    if (life % 10 === 0) console.log(`${life} of ${kills} kills, ${ledger.accepted.size} jobs`);
  }
}

/** @param {Stage} stage */
async function waitForProcesses({ ourProcesses }) {
  const deadline = performance.now() + 20_000;
  while (ourProcesses().length > 0 && performance.now() < deadline) await delay(200);
  return ourProcesses().map(({ pid, id }) => `process ${pid} of ${id} is left`);
}

/** @param {Stage} stage @param {Options} options */
async function run(stage, options) {
  const { service, ledger, workdirs, followers } = stage;
  const { cli, random } = options;
  await service.start();
  const over = new AbortController();
  await Promise.all(followers.map(async (follower) => follower.begin(over.signal)));
  const makeJob = cli === undefined ? fakeJobs(workdirs) : await realJobs(stage, cli);
  await service.kill();
  const clients = new AbortController();
  const means = { services: [service], ledger, random, makeJob, signal: clients.signal };
  const load = Array.from({ length: users }, async () => {
    const user = new User(means);
    const [submit, cancel] = [async () => user.submit(), async () => user.cancel()];
    const looks = [async () => user.look(), async () => user.retry(), async () => user.remove()];
    return useService(user, [submit, submit, async () => user.submitOnce(), cancel, cancel, ...looks]);
  });
  await killRepeatedly(stage, options);
  clients.abort();
  await service.start();
  // Some of them insist on a reply.
  await Promise.all(load);
  console.log('letting all jobs end');
  const jobs = await finalJobs(service);
  // `canceled` promises that no process is left, so this is checked at once.
  const ended = jobs.filter((job) => job.reason === 'canceled' || job.reason === 'timeout');
  const left = stage.ourProcesses().filter(({ id }) => ended.some((job) => job.id === id));
  ledger.violations.push(
    ...(await audit({ ...stage, jobs })),
    ...left.map(({ pid, id }) => `process ${pid} of ${id} outlived its cancel`),
    ...(await waitForProcesses(stage)),
    ...(await auditFollowers(followers, jobs)),
  );
  over.abort();
  show(stage, jobs);
}

/** @param {Stage} stage @param {readonly Job[]} jobs */
function show({ ledger, followers }, jobs) {
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
  const told = followers.reduce((sum, { histories }) => sum + [...histories.values()].flat().length, 0);
  const connections = followers.reduce((sum, follower) => sum + follower.connections, 0);
  console.log(
    `${jobs.length} jobs are left: ${accepted} of the ${ledger.accepted.size} that were accepted (clients removed the rest), ` +
      `${downs} that the service queued itself, ${jobs.length - accepted - downs} whose reply was lost in a kill or that planned the example\n` +
      `${followers.length} followers got ${told} transitions on ${connections} connections`,
  );
}

/** @param {Options} options @returns {Promise<import('../lib/trial.mjs').Trial>} */
export async function build(options) {
  const stage = await makeStage(options);
  const { service, ledger, mark } = stage;
  return {
    violations: ledger.violations,
    run: async () => run(stage, options),
    end: async () => {
      await service.kill('SIGTERM');
      killJobProcesses(mark);
      ledger.violations.push(...service.errors);
    },
    accepted: () => ledger.accepted.size,
  };
}
