// Clients bring a lab up through one host, read its log through another, look where it is, and take it down through a third.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { some } from '../../lib/random.mjs';
import { messageOf } from '../../lib/words.mjs';
import { Account } from './account.mjs';
import { allUp, makeStage, startAll, tearDown } from './stage.mjs';

/** @typedef {import('../../lib/random.mjs').Random} Random */
/** @typedef {import('./stage.mjs').Machine} Machine */
/** @typedef {{ id: string, host: string, instance: string, workspace: string, state: string, error: string | null, finishedAt: string | null }} Job */

/**
 * @typedef {object} Means
 * @property {readonly Machine[]} machines
 * @property {Random} random
 * @property {import('./account.mjs').Account} account
 * @property {() => number | undefined} next the number of the next round; undefined when all have begun
 * @property {AbortSignal} signal
 */

const topology = ['name: milestone', 'defaults.device: linux', 'nodes: [h1, h2]', 'links: [h1-h2]', ''].join(
  '\n',
);
/** A host that was killed is back by then. */
const patienceMs = 90_000;
/** In how many of the labs a node looks for the other. */
const pingEvery = 10;

class Client {
  #means;

  /** @param {Means} means */
  constructor(means) {
    this.#means = means;
  }

  /**
   * Asks whichever host until one answers for good: any may be dead at any moment.
   * @template Seen
   * @param {string} what
   * @param {(machine: Machine) => Promise<Seen | undefined>} ask
   * @returns {Promise<Seen>}
   */
  async #insist(what, ask) {
    let last = '';
    for (const endsAt = performance.now() + patienceMs; performance.now() < endsAt;) {
      this.#means.signal.throwIfAborted();
      try {
        const seen = await ask(some(this.#means.random, this.#means.machines));
        if (seen !== undefined) return seen;
      } catch (error) {
        last = `: ${messageOf(error)}`;
      }
      await delay(150);
    }
    throw new Error(`not within ${patienceMs / 1000} seconds: ${what}${last}`);
  }

  /** The key makes it one job, however often it is asked for. @param {string} key @param {Record<string, unknown>} body @returns {Promise<Job>} */
  async #submit(key, body) {
    const { account } = this.#means;
    return this.#insist(`${key} is accepted`, async ({ host }) => {
      const reply = await host.request('POST', '/jobs', {
        key,
        body: { ...body, labels: { milestone: key } },
      });
      if (reply.status === 202) {
        account.noteAccepted(key, reply.body, host.name);
        return reply.body;
      }
      if (reply.status < 500 && reply.status !== 429)
        account.say(`${key} was refused: ${reply.status} ${reply.body.error}`);
      return undefined;
    });
  }

  /** Follows the log to its end, and again from its beginning where it breaks off. @param {Job} job @returns {Promise<Job>} */
  async #follow(job) {
    const { account, machines } = this.#means;
    const { text, through, firstAt } = await this.#insist(`the log of ${job.id} ends`, async ({ host }) => {
      let first = 0;
      const reply = await host.request('GET', `/jobs/${job.id}/log?output=text&follow=true`, {
        onPiece: () => (first ||= Date.now()),
      });
      return reply.status === 200 ? { text: reply.body, through: host.name, firstAt: first } : undefined;
    });
    /** @type {Job} */
    const ended = await this.#insist(`${job.id} ends`, async ({ host }) => {
      const { status, body } = await host.request('GET', `/jobs/${job.id}`);
      return status === 200 && body.finishedAt !== null && !body.stale ? body : undefined;
    });
    const machine = machines.find(({ host }) => host.name === job.host);
    const onDisk = readFileSync(path.join(machine?.host.dataDir ?? '', 'jobs', job.id, 'log'), 'utf8');
    const streamed = firstAt > 0 && firstAt < Date.parse(String(ended.finishedAt));
    account.noteLog(through, job.host, streamed);
    if (text !== onDisk)
      account.say(
        `the log of ${job.id} through ${through} has ${text.length} characters, and ${onDisk.length} on disk`,
      );
    if (ended.state !== 'success')
      account.say(`${job.id} on ${ended.host} is ${ended.state}: ${ended.error}`);
    if (ended.host !== job.host) account.say(`${job.id} was on ${job.host}, and is on ${ended.host}`);
    return ended;
  }

  /** @param {Job} job */
  async #ping({ id, host, instance }) {
    const lab = `${instance}@${host}`;
    await this.#insist(`a ping in ${lab}`, async (machine) => {
      const { status, body } = await machine.host.request('POST', `/labs/${lab}/nodes/h1/exec`, {
        body: { command: ['ping', '-c', '1', '-W', '2', 'h2'] },
      });
      if (status !== 200) return undefined;
      if (body.exitCode !== 0)
        this.#means.account.say(`h1 of ${lab} (${id}) does not reach h2: ${body.stdout}`);
      return true;
    });
  }

  /** @param {number} number */
  async round(number) {
    const { account, machines } = this.#means;
    const up = await this.#follow(
      await this.#submit(`up-${number}`, { action: 'up', workspace: 'auto', multilabId: 'auto', topology }),
    );
    const nodes = ['h1', 'h2'].map((node) => `lab-${up.instance}-${node}`);
    const has = (/** @type {Machine} */ { room }) => nodes.every((name) => room.namespaces().includes(name));
    const home = machines.find(({ host }) => host.name === up.host);
    if (home === undefined || !has(home)) account.say(`${up.id}: ${nodes.join(', ')} are not on ${up.host}`);
    if (number % pingEvery === 0) await this.#ping(up);
    const down = await this.#submit(`down-${number}`, {
      action: 'down',
      workspace: up.workspace,
      cleanup: true,
    });
    if (down.host !== up.host)
      account.say(`${down.id}, the down of ${up.id} on ${up.host}, came to ${down.host}`);
    await this.#follow(down);
  }
}

/** Rounds until none is left. @param {Means} means */
async function useLabs(means) {
  const client = new Client(means);
  for (let number = means.next(); number !== undefined; number = means.next()) {
    try {
      await client.round(number);
    } catch (error) {
      if (means.signal.aborted) return;
      means.account.say(`round ${number}: ${messageOf(error)}`);
    }
  }
}

const clients = 8;

/** @typedef {{ jobs: number, kills: number, random: import('../../lib/random.mjs').Random }} Options */

/** @param {import('./stage.mjs').Stage} stage @param {Account} account @param {Options & { signal: AbortSignal }} options */
async function run(stage, account, { jobs, kills, random, signal }) {
  const { machines } = stage;
  const rounds = jobs / 2;
  await startAll(stage);
  const begun = { rounds: 0 };
  const next = () => (begun.rounds < rounds ? (begun.rounds += 1) : undefined);
  const means = { machines, random, account, next, signal };
  const load = Promise.all(Array.from({ length: clients }, async () => useLabs(means)));
  for (let kill = 0; kill < kills; kill += 1) {
    const due = Math.floor((rounds * (kill + 0.5)) / kills);
    while (begun.rounds < due) await delay(50);
    const machine = machines[kill % machines.length] ?? some(random, machines);
    console.log(`killing ${machine.host.name} in round ${begun.rounds} of ${rounds}`);
    await machine.crash(random() * 4_000);
    await allUp(machines);
  }
  await load;
  account.close(machines);
}

/** @param {Options} options @param {string} temporary @returns {Promise<import('../../lib/trial.mjs').Trial>} */
export async function buildCluster(options, temporary) {
  const stage = await makeStage(temporary);
  const account = new Account();
  const over = new AbortController();
  return {
    violations: account.violations,
    run: async () => run(stage, account, { ...options, signal: over.signal }),
    end: async () => {
      over.abort();
      await tearDown(stage, temporary);
      account.violations.push(...stage.machines.flatMap(({ host }) => host.errors));
    },
    accepted: () => account.accepted.size,
  };
}
