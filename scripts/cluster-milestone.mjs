#!/usr/bin/env node
// Three hosts with real labs of the bundled engine, and their Redis, on this machine: each has a network namespace, a data
// directory, a LAB_HOME and a /run of its own. Clients bring labs up and down through whichever host and follow each log
// through another, while the services are killed (SIGKILL) and started again, one after the other.
//   npm run build && scripts/cluster-milestone.mjs [--jobs N] [--kills N] [--seed N]      300 jobs, 6 kills
// Prints how many jobs were accepted and what became of them, on which hosts, and the longest wait. Ends with 1 when a job is
// lost, doubled, failed or somewhere else than its lab, when a log is not whole, or when anything is left of a lab; keeps the
// data directories then. Needs root, ip, unshare, nsenter and redis-server. Ctrl-C cleans up.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Account } from './cluster-milestone/account.mjs';
import { useLabs } from './cluster-milestone/rounds.mjs';
import { allUp, build, startAll, tearDown } from './cluster-milestone/stage.mjs';
import { interrupted } from './lib/interrupted.mjs';
import { readOptions } from './lib/options.mjs';
import { makeRandom } from './lib/random.mjs';
import { messageOf } from './lib/words.mjs';

const clients = 8;
const options = readOptions({
  jobs: { type: 'string', default: '300' },
  kills: { type: 'string', default: '6' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
});
const [rounds, kills, seed] = [Number(options.jobs) / 2, Number(options.kills), Number(options.seed)];

const random = makeRandom(seed);
const account = new Account();
const over = new AbortController();
const temporary = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'lab-api-milestone-')));

/** @param {import('./cluster-milestone/stage.mjs').Stage} stage */
async function run(stage) {
  const { machines } = stage;
  await startAll(stage);
  const begun = { rounds: 0 };
  const next = () => (begun.rounds < rounds ? (begun.rounds += 1) : undefined);
  const load = Promise.all(
    Array.from({ length: clients }, async () =>
      useLabs({ machines, random, account, next, signal: over.signal }),
    ),
  );
  for (let kill = 0; kill < kills; kill += 1) {
    const due = Math.floor((rounds * (kill + 0.5)) / kills);
    while (begun.rounds < due) await delay(50);
    const machine = machines[kill % machines.length] ?? machines[0];
    console.log(`killing ${machine.host.name} in round ${begun.rounds} of ${rounds}`);
    await machine.crash(random() * 4_000);
    await allUp(machines);
  }
  await load;
  account.close(machines);
}

console.log(`seed ${seed}, ${rounds * 2} jobs, ${kills} kills`);
const started = performance.now();
const ended = interrupted();
const stage = await build(temporary);
try {
  await Promise.race([run(stage), ended]);
} catch (error) {
  account.say(`the run did not come to its end: ${messageOf(error)}`);
} finally {
  over.abort();
  await tearDown(stage, temporary);
}
const violations = [...account.violations, ...stage.machines.flatMap(({ host }) => host.errors)];
for (const violation of violations) console.log(`VIOLATION ${violation}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`${violations.length} violations, ${seconds} s, seed ${seed}`);
if (violations.length > 0) console.log(`kept: ${temporary}`);
else rmSync(temporary, { recursive: true, force: true });
process.exit(violations.length > 0 ? 1 : 0);
