// The faults of a cluster: each is repaired after a while, some only after the others have declared the host away.
import { setTimeout as delay } from 'node:timers/promises';
import { some } from '../../lib/random.mjs';

/** @typedef {import('../../lib/random.mjs').Random} Random */
/** @typedef {import('./machines.mjs').Host} Host */

/** Longer than the lease of a host (15 s): the others say that it is away. */
const longMs = 17_000;

/**
 * @typedef {object} Ground
 * @property {readonly [Host, ...Host[]]} hosts
 * @property {import('../../lib/redis.mjs').RedisMachine} redis
 * @property {import('./network.mjs').Network} network
 * @property {Random} random
 * @property {(line: string) => void} note keeps a line about a fault, for the analysis of a violation
 */

/** @param {Random} random @param {number} mostMs */
const aWhile = async (random, mostMs) => delay(random() < 0.12 ? longMs : random() * mostMs);

/** @param {Ground} ground @param {Host} host */
async function killHost({ random }, host) {
  await host.kill();
  await aWhile(random, 2_000);
  // Sometimes it is killed again while it starts.
  const listening = host.start();
  if (random() < 0.2) {
    await delay(random() * 600);
    await host.kill();
    await host.start();
  } else await listening;
}

/** @param {Ground} ground @param {boolean} losesData */
async function killRedis({ redis, random }, losesData) {
  await redis.kill();
  if (losesData) redis.loseData();
  await delay(random() * 3_000);
  redis.start();
}

/** @param {Ground} ground @param {string} name */
async function cut({ network, random }, name) {
  network.cut(name);
  await aWhile(random, 6_000);
  network.mend(name);
}

/** Clients and the other hosts still reach it. @param {Ground} ground @param {Host} host */
async function cutFromRedis({ network, random }, host) {
  network.cutBetween(host.name, 'redis');
  await aWhile(random, 8_000);
  network.mendBetween(host.name, 'redis');
}

/** @typedef {{ name: string, weight: number, needsCuts: boolean, ofRedis: boolean, run: (ground: Ground, host: Host) => Promise<void> }} Fault */

/** @type {readonly Fault[]} */
const faults = [
  { name: 'a host is killed', weight: 35, needsCuts: false, ofRedis: false, run: killHost },
  {
    name: 'Redis is killed',
    weight: 14,
    needsCuts: false,
    ofRedis: true,
    run: async (ground) => killRedis(ground, false),
  },
  {
    name: 'Redis loses its data',
    weight: 8,
    needsCuts: false,
    ofRedis: true,
    run: async (ground) => killRedis(ground, true),
  },
  {
    name: 'a host is cut off',
    weight: 17,
    needsCuts: true,
    ofRedis: false,
    run: async (ground, host) => cut(ground, host.name),
  },
  {
    name: 'a host is cut off from Redis',
    weight: 14,
    needsCuts: true,
    ofRedis: false,
    run: cutFromRedis,
  },
  {
    name: 'Redis is cut off',
    weight: 12,
    needsCuts: true,
    ofRedis: true,
    run: async (ground) => cut(ground, 'redis'),
  },
];

/** @param {Random} random @param {readonly Fault[]} possible */
function pick(random, possible) {
  let left = random() * possible.reduce((sum, { weight }) => sum + weight, 0);
  return possible.find(({ weight }) => (left -= weight) < 0) ?? possible[0];
}

/**
 * One fault after the other, and sometimes one of a host while Redis has one; what was done how often.
 * @param {Ground} ground
 * @param {number} count
 */
export async function faultRepeatedly(ground, count) {
  const { random, hosts, network } = ground;
  const possible = faults.filter(({ needsCuts }) => network.canCut || !needsCuts);
  /** @type {Map<string, number>} */
  const done = new Map();
  const run = async (/** @type {Fault | undefined} */ fault) => {
    if (fault === undefined) return;
    done.set(fault.name, (done.get(fault.name) ?? 0) + 1);
    const host = some(random, hosts);
    const what = fault.ofRedis ? fault.name : `${fault.name}: ${host.name}`;
    const began = new Date().toISOString();
    await fault.run(ground, host);
    ground.note(`${began} to ${new Date().toISOString()} ${what}`);
  };
  for (let at = 1; at <= count; at += 1) {
    const first = pick(random, possible);
    const isDouble = random() < 0.2 && at < count;
    const others = possible.filter(({ ofRedis }) => ofRedis !== first?.ofRedis);
    await Promise.all([run(first), ...(isDouble ? [run(pick(random, others))] : [])]);
    if (isDouble) at += 1;
    await delay(300 + random() * 2_500);
    if (at % 10 === 0) console.log(`${at} of ${count} faults`);
  }
  return done;
}
