// The machines of the run: Redis and three hosts, each in a network namespace and with a `/run` of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { RedisMachine } from '../../lib/redis.mjs';
import { Host, seeEachOther } from '../../chaos/cluster/machines.mjs';
import { makeNetwork } from '../../chaos/cluster/network.mjs';
import { killJobProcesses } from '../../lib/job-processes.mjs';
import { must } from '../../lib/words.mjs';
import { tries } from '../../lib/wait.mjs';

/** @typedef {import('../../chaos/service.mjs').Place} Place */

/** How many jobs each of them runs at the same time: one is twice the others. */
const capacities = { one: 2, two: 2, three: 4 };
/** A host that was killed counts as away until the others have noticed its return. */
const noticeMs = 3_000;

/** @typedef {Awaited<ReturnType<typeof makeStage>>} Stage */

/** It ends with this script, whose end closes its standard input; with it go `/run` and the namespaces named there. */
const hold = 'mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/netns && echo ready && exec cat';

/**
 * A machine has beside its network a `/run` of its own, so that labs of three machines may have the same names. It
 * outlives the service there, as a machine does.
 */
class MachineRoom {
  #child;
  #place;

  /** @param {Place} place */
  constructor(place) {
    this.#place = place;
    const [command, ...words] = [...place.within, 'unshare', '--mount', 'sh', '-c', hold];
    // Not of the terminal's group: a Ctrl-C is for the script, which tidies up first.
    this.#child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  }

  /** Resolves when a service can be started there. */
  async ready() {
    const ended = once(this.#child, 'exit').then(() => {
      throw new Error('no place for a machine can be made here: it takes root, ip, unshare and nsenter');
    });
    ended.catch(() => undefined);
    await Promise.race([once(this.#child.stdout, 'data'), ended]);
  }

  /** @returns {Place} */
  get place() {
    const of = (/** @type {string} */ kind) =>
      `--${kind === 'mnt' ? 'mount' : kind}=/proc/${this.#child.pid}/ns/${kind}`;
    return { ...this.#place, within: ['nsenter', of('net'), of('mnt')] };
  }

  /** The network namespaces that have a name on that machine, which are the nodes of its labs. */
  namespaces() {
    return readdirSync(`/proc/${this.#child.pid}/root/run/netns`);
  }

  async end() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.stdin.end();
    await ended;
  }
}

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
export async function makeStage(temporary) {
  const names = Object.keys(capacities);
  const network = await makeNetwork([...names, 'redis']);
  must(network.canCut, 'each host needs a network namespace: run this as root, where there is an "ip"');
  const redis = new RedisMachine(network.place('redis'), path.join(temporary, 'redis'));
  const machines = Object.entries(capacities).map(([name, capacity]) => {
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
  });
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
  await tries('all hosts see all hosts', async () => seeEachOther(machines.map(({ host }) => host)));
}

/** Whatever the hosts still run goes with them. @param {Stage} stage @param {string} temporary */
export async function tearDown({ network, redis, machines }, temporary) {
  await Promise.all(machines.map(async ({ host }) => host.kill('SIGTERM')));
  await redis.end();
  killJobProcesses(`LAB_HOME=${temporary}/`);
  await Promise.all(machines.map(async ({ room }) => room.end()));
  network.remove();
}
