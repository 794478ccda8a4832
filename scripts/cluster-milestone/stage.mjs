// The machines of the run: Redis and three hosts, each in a network namespace and with a `/run` of its own.
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Host, RedisMachine } from '../chaos/cluster/machines.mjs';
import { makeNetwork } from '../chaos/cluster/network.mjs';
import { jobProcesses } from '../lib/job-processes.mjs';
import { must } from '../lib/must.mjs';
import { tries } from '../lib/wait.mjs';
import { MachineRoom } from './machine-room.mjs';

/** How many jobs each of them runs at the same time: one is twice the others. */
const capacities = { one: 2, two: 2, three: 4 };
/** What of a kill is away: until the others have noticed that it is back. */
const noticeMs = 3_000;

/** @typedef {Awaited<ReturnType<typeof build>>} Stage */

export class Machine {
  /** @type {{ from: number, to: number }[]} */
  #away = [];

  /** @param {Host} host @param {MachineRoom} room @param {number} capacity */
  constructor(host, room, capacity) {
    this.host = host;
    this.room = room;
    this.capacity = capacity;
  }

  /** At some moment of these, in ms since 1970. @param {number} begin @param {number} end */
  wasAway(begin, end = begin) {
    return this.#away.some(({ from, to }) => from <= end && begin <= to);
  }

  /** The service dies at once; the labs and the jobs of the machine go on. @param {number} ms until it is started again */
  async crash(ms) {
    const away = { from: Date.now(), to: Infinity };
    this.#away.push(away);
    await this.host.kill();
    await delay(ms);
    await this.host.start();
    away.to = Date.now() + noticeMs;
  }
}

/** @param {string} temporary */
export async function build(temporary) {
  const names = Object.keys(capacities);
  const network = await makeNetwork([...names, 'redis']);
  must(network.canCut, 'each host needs a network namespace: run this as root, where there is an "ip"');
  const redis = new RedisMachine(network.place('redis'), path.join(temporary, 'redis'));
  const machines = /** @type {[Machine, ...Machine[]]} */ (
    Object.entries(capacities).map(([name, capacity]) => {
      const room = new MachineRoom(network.place(name));
      const host = new Host({
        name,
        labels: [],
        place: room.place,
        directory: path.join(temporary, name),
        redisUrl: redis.url,
        environment: { LAB_API_CLI: 'engine', LAB_API_MAX_RUNNING_JOBS: String(capacity) },
      });
      return new Machine(host, room, capacity);
    })
  );
  return { network, redis, machines };
}

/** @param {Stage} stage */
export async function startAll({ redis, machines }) {
  await Promise.all(machines.map(async ({ room }) => room.ready()));
  redis.start();
  await redis.answers();
  await Promise.all(machines.map(async ({ host }) => host.start()));
  await allUp(machines);
}

/** Every host sees every other one. @param {readonly Machine[]} machines */
export async function allUp(machines) {
  await tries('all hosts see all hosts', async () => {
    for (const { host } of machines) {
      const { body } = await host.request('GET', '/hosts');
      if (body.hosts.filter((/** @type {any} */ one) => one.state === 'up').length < machines.length)
        return false;
    }
    return true;
  });
}

/** Whatever the hosts still run goes with them. @param {Stage} stage @param {string} temporary */
export async function tearDown({ network, redis, machines }, temporary) {
  await Promise.all(machines.map(async ({ host }) => host.kill('SIGTERM')));
  await redis.end();
  const isOurs = (/** @type {string} */ _id, /** @type {readonly string[]} */ environment) =>
    environment.some((entry) => entry.startsWith(`LAB_HOME=${temporary}/`));
  for (const { pid } of jobProcesses(isOurs)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  await Promise.all(machines.map(async ({ room }) => room.end()));
  network.remove();
}
