#!/usr/bin/env node
// Follows GET /events with many clients while many jobs run and the built service is killed with SIGKILL again and
// again. At the end, the list of transitions of each job must be whole and in order, and the same for every client.
//   scripts/events-gap.mjs [--clients 50] [--jobs 1000] [--kills 10] [--seed N]
// Ends with 1 on any violation, and keeps the data directory then.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { finalJobs } from './chaos/audit.mjs';
import { makeRandom } from './lib/random.mjs';
import { Service } from './chaos/service.mjs';
import { Follower } from './events-gap/follower.mjs';
import { freePort } from './lib/free-port.mjs';
import { readOptions } from './lib/options.mjs';
import { root } from './lib/service.mjs';
import { tries } from './lib/wait.mjs';

const directories = 20;
const submitters = 5;
const options = readOptions({
  clients: { type: 'string', default: '50' },
  jobs: { type: 'string', default: '1000' },
  kills: { type: 'string', default: '10' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
});
const [clients, wantedJobs, kills] = [options.clients, options.jobs, options.kills].map(Number);
const random = makeRandom(Number(options.seed));

/** From which state to which a job may go: the table of docs/architecture.md. @type {Record<string, readonly string[]>} */
const transitions = {
  '': ['queued'],
  queued: ['running', 'canceled'],
  running: ['canceling', 'success', 'failed', 'queued'],
  canceling: ['canceled', 'success', 'failed'],
};

const temporary = mkdtempSync(path.join(os.tmpdir(), 'lab-api-events-gap-'));
const inside = (/** @type {string} */ name) => path.join(temporary, name);
const workdirs = Array.from({ length: directories }, (_, index) => inside(`lab-${index}`));
for (const directory of [inside('state'), inside('home'), ...workdirs]) mkdirSync(directory);
const service = new Service({
  PATH: process.env.PATH,
  HOME: inside('home'),
  FAKE_LAB_STATE: inside('state'),
  LAB_API_CLI: path.join(root, 'tests/fixtures/programs/fake-netlab'),
  LAB_API_DATA_DIR: inside('data'),
  LAB_API_PORT: String(await freePort()),
  LAB_API_CANCEL_GRACE: '300ms',
  LAB_API_MIN_FREE_DISK: '1MiB',
  LAB_API_MAX_RUNNING_JOBS: '8',
});

/** One of them. @template Item @param {readonly Item[]} list */
const some = (list) => /** @type {Item} */ (list[Math.floor(random() * list.length)]);

/** How many were sent, answered or not. */
const sent = { count: 0 };

/** Whoever gets no answer asks again with the same key, so that there are as many jobs as were wanted. */
async function submitAll() {
  while (sent.count < (wantedJobs ?? 0)) {
    const number = (sent.count += 1);
    const run = some(['true', 'echo hello', 'exit 5', 'sleep 0.2', 'sleep 5']);
    const topology = ['name: gap', 'nodes: [r1, r2]', `# run: ${run}`, ''].join('\n');
    const body = { action: 'create', workdir: some(workdirs), topology };
    const reply = await service.insist('POST', '/jobs', { body, key: `key-${number}` });
    if (reply.status !== 202) throw new Error(`a job was refused: ${reply.status} ${reply.body?.error}`);
    if (run !== 'sleep 5') continue;
    await delay(random() * 400);
    // 409: it was quicker.
    await service.insist('POST', `/jobs/${reply.body.id}/cancel`, { body: {} });
  }
}

/** Kills the service at random moments, evenly over the jobs. */
async function killRepeatedly() {
  for (let kill = 1; kill <= (kills ?? 0); kill += 1) {
    const due = (kill * (wantedJobs ?? 0)) / ((kills ?? 0) + 1);
    while (sent.count < Math.floor(due)) await delay(5);
    await delay(random() * 300);
    await service.kill();
    console.log(`kill ${kill} after ${sent.count} jobs`);
    await service.start();
  }
}

/** @param {Follower} follower @param {readonly import('./chaos/ledger.mjs').Job[]} jobs */
function auditFollower(follower, jobs) {
  const found = [...follower.violations, ...follower.resets.map((reason) => `a reset: ${reason}`)];
  for (const { id, state } of jobs) {
    const history = follower.histories.get(id) ?? [];
    const isWhole = history.every((to, index) => transitions[history[index - 1] ?? '']?.includes(to));
    if (!isWhole || history.at(-1) !== state) found.push(`${id} is ${state}; told: "${history.join(', ')}"`);
  }
  if (follower.histories.size !== jobs.length)
    found.push(`told of ${follower.histories.size} jobs, there are ${jobs.length}`);
  return found;
}

/** @param {readonly Follower[]} followers */
async function follow(followers) {
  await service.start();
  const over = new AbortController();
  const ready = followers.map(
    (follower) => new Promise((resolve) => void follower.follow(over.signal, () => resolve(undefined))),
  );
  await Promise.all(ready);
  await Promise.all([killRepeatedly(), ...Array.from({ length: submitters }, submitAll)]);
  const jobs = await finalJobs(service);
  const isTold = () => Promise.resolve(followers.every(({ ended }) => ended >= jobs.length));
  await tries('every client is told of every end', isTold, 60).catch(() => undefined);
  over.abort();
  const told = followers.map(({ histories }) =>
    JSON.stringify(jobs.map(({ id }) => histories.get(id) ?? null)),
  );
  const texts = new Set(told);
  return [
    ...new Set(followers.flatMap((follower) => auditFollower(follower, jobs))),
    ...(jobs.length === wantedJobs ? [] : [`there are ${jobs.length} jobs`]),
    ...(texts.size === 1 ? [] : [`${texts.size} different lists of transitions`]),
  ];
}

console.log(`seed ${options.seed}, ${clients} clients, ${wantedJobs} jobs, ${kills} kills`);
const started = performance.now();
const followers = Array.from({ length: clients ?? 0 }, () => new Follower(service.url));
let violations = ['the run did not come to its end'];
try {
  violations = await follow(followers);
} catch (error) {
  violations = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
} finally {
  await service.kill('SIGTERM');
}
for (const violation of violations.slice(0, 50)) console.log(`VIOLATION ${violation}`);
const told = followers.reduce((sum, { histories }) => sum + [...histories.values()].flat().length, 0);
const seconds = Math.round((performance.now() - started) / 1000);
const connections = followers.reduce((sum, follower) => sum + follower.connections, 0);
console.log(
  `${violations.length} violations, ${told} transitions told on ${connections} connections, ${seconds} s, seed ${options.seed}`,
);
if (violations.length > 0) {
  console.log(`kept: ${temporary}`);
  process.exitCode = 1;
} else rmSync(temporary, { recursive: true, force: true });
