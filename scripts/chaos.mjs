#!/usr/bin/env node
// Kills the built service with SIGKILL again and again while clients use it, and audits what is left:
//   scripts/chaos.mjs jobs [--kills N] [--seed N] [--followers N] [--engine | --netlab]
//   scripts/chaos.mjs cluster [--kills N] [--seed N]
//   scripts/chaos.mjs containerlab [--kills N] [--seed N]
// jobs: clients submit (also with keys), cancel, retry and remove jobs of all kinds, and others follow GET /events. Every
// accepted job has ended, none ran twice, a key stands for one job, a canceled `up` has its one `down`, exit codes and logs are
// right, no process is left, and each follower got every transition of every job, once and in order.
// cluster: three services and their Redis are killed, restarted (Redis also without its data) and cut off from one another
// while clients use all three: no accepted job may be lost, doubled, or run on two hosts, and every log must be whole
// through every host. As root, each has a network namespace of its own; otherwise no connections are cut.
// containerlab: the containerlab on PATH starts and stops labs of two or three nodes (python:3.13-alpine) for the jobs:
// besides, no container and no network may be left that the outcomes of the jobs deny. Needs Docker and root; 30 kills take
// some minutes. All that was made is removed again.
// Ends with 1 on any violation, and keeps the data directory then. 100 kills, unless --kills says otherwise.
import { readArguments } from './lib/options.mjs';
import { makeRandom } from './lib/random.mjs';
import { tryOut } from './lib/trial.mjs';

const { values, positionals } = readArguments({
  kills: { type: 'string', default: '100' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  followers: { type: 'string', default: '5' },
  engine: { type: 'boolean', default: false },
  netlab: { type: 'boolean', default: false },
});

/**
 * @typedef {object} Options
 * @property {string} temporary
 * @property {number} kills
 * @property {import('./lib/random.mjs').Random} random
 * @property {number} followers
 * @property {'engine' | 'netlab' | undefined} cli undefined: a lab CLI that only pretends
 */

/** @type {Record<string, () => Promise<{ build: (options: Options) => Promise<import('./lib/trial.mjs').Trial> }>>} */
const scenarios = {
  jobs: async () => import('./chaos/jobs.mjs'),
  cluster: async () => import('./chaos/cluster/run.mjs'),
  containerlab: async () => import('./chaos/containerlab/run.mjs'),
};

const [name = '', ...others] = positionals;
const load = scenarios[name];
if (load === undefined || others.length > 0) {
  process.stderr.write(
    `usage: scripts/chaos.mjs ${Object.keys(scenarios).join('|')} [--kills N] [--seed N]\n`,
  );
  process.exit(2);
}
const { build } = await load();
const [kills, seed] = [Number(values.kills), Number(values.seed)];
const options = {
  kills,
  random: makeRandom(seed),
  followers: Number(values.followers),
  cli: values.engine
    ? /** @type {const} */ ('engine')
    : values.netlab
      ? /** @type {const} */ ('netlab')
      : undefined,
};
const title = `${kills} kills, ${name}`;
process.exit(await tryOut({ title, seed }, async (temporary) => build({ ...options, temporary })));
