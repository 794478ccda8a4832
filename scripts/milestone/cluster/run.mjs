// Real labs on three hosts of a cluster, whose services are killed in turn.
import { setTimeout as delay } from 'node:timers/promises';
import { some } from '../../lib/random.mjs';
import { Account } from './account.mjs';
import { useLabs } from './rounds.mjs';
import { allUp, makeStage, startAll, tearDown } from './stage.mjs';

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
