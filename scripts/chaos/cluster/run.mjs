// The whole of a run with a cluster: builds it, disturbs it under load, heals it, and audits what is left.
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { interrupted } from '../../lib/interrupted.mjs';
import { jobProcesses } from '../../lib/job-processes.mjs';
import { makeRandom } from '../../lib/random.mjs';
import { isTerminal } from '../ledger.mjs';
import { auditCluster, listThrough } from './audit.mjs';
import { useCluster } from './client.mjs';
import { faultRepeatedly } from './faults.mjs';
import { ClusterLedger } from './ledger.mjs';
import { Host, RedisMachine } from './machines.mjs';
import { makeNetwork } from './network.mjs';
import { sharedDirectories } from './requests.mjs';

const clients = 10;
const directories = 6;
const labelsOf = { one: [], two: ['big'], three: ['big', 'kvm'] };
const healMs = 150_000;

/** @typedef {{ kills: number, seed: number }} Options */
/** @typedef {Awaited<ReturnType<typeof build>>} Stage */

/** @param {string} temporary */
async function build(temporary) {
  const names = Object.keys(labelsOf);
  const network = await makeNetwork([...names, 'redis']);
  const redis = new RedisMachine(network.place('redis'), path.join(temporary, 'redis'));
  const hosts = /** @type {[Host, ...Host[]]} */ (
    Object.entries(labelsOf).map(
      ([name, labels]) =>
        new Host({
          name,
          labels,
          place: network.place(name),
          directory: path.join(temporary, name),
          redisUrl: redis.url,
        }),
    )
  );
  const shared = sharedDirectories(temporary, directories);
  for (const directory of shared) mkdirSync(directory);
  const note = (/** @type {string} */ line) => appendFileSync(path.join(temporary, 'faults'), `${line}\n`);
  return { network, redis, hosts, shared, note, ledger: new ClusterLedger() };
}

/** @param {Stage} stage @param {string} what @param {() => Promise<boolean>} look */
async function healed({ ledger }, what, look) {
  let last = '';
  for (const endsAt = performance.now() + healMs; performance.now() < endsAt;) {
    try {
      if (await look()) return;
    } catch (error) {
      last = `: ${error instanceof Error ? error.message : String(error)}`;
    }
    await delay(200);
  }
  ledger.violations.push(`after ${healMs / 1000} s of peace: not ${what}${last}`);
}

/** Every host sees every other one. @param {Stage} stage */
async function allUp(stage) {
  const { hosts } = stage;
  await healed(stage, 'all hosts see all hosts', async () => {
    for (const host of hosts) {
      const { body } = await host.request('GET', '/hosts');
      if (body.hosts.filter((/** @type {any} */ one) => one.state === 'up').length < hosts.length)
        return false;
    }
    return true;
  });
}

/** No message waits any more, and no job goes on. @param {Stage} stage */
async function quiet(stage) {
  const { hosts, redis } = stage;
  await healed(stage, 'all messages are taken', async () => {
    for (const { id } of hosts)
      for (const list of ['wait', 'active', 'delayed', 'paused']) {
        const key = `lab-api:queue:lab-${id}:${list}`;
        const count = list === 'delayed' ? await redis.client.zcard(key) : await redis.client.llen(key);
        if (count > 0) return false;
      }
    return true;
  });
  await healed(stage, 'all jobs have ended', async () => {
    for (const host of hosts) {
      const { jobs, missing } = await listThrough(host);
      if (missing.length > 0 || ![...jobs.values()].every((job) => isTerminal(job) && !job.stale))
        return false;
    }
    return true;
  });
}

/** @param {Stage} stage @param {Options} options */
async function run(stage, { kills, seed }) {
  const { redis, hosts, network, ledger, shared, note } = stage;
  const random = makeRandom(seed);
  redis.start();
  await redis.answers();
  await Promise.all(hosts.map(async (host) => host.start()));
  await allUp(stage);
  const over = new AbortController();
  const means = { hosts, ledger, random, directories: shared, signal: over.signal };
  const load = Array.from({ length: clients }, async () => useCluster(means));
  const done = await faultRepeatedly({ hosts, redis, network, random, note }, kills);
  over.abort();
  console.log('all is mended; letting all jobs end');
  await redis.answers();
  await Promise.all(load);
  await allUp(stage);
  await quiet(stage);
  const { kept, violations } = await auditCluster({
    hosts,
    ledger,
    client: redis.client,
    directories: shared,
  });
  show(stage, done, kept);
  return violations;
}

/** @param {Stage} stage @param {Map<string, number>} done @param {Awaited<ReturnType<typeof auditCluster>>['kept']} kept */
function show({ ledger, hosts }, done, kept) {
  console.table(Object.fromEntries([...done].map(([name, times]) => [name, { times }])));
  const answers = [...ledger.answers].toSorted(([a], [b]) => (a < b ? -1 : 1));
  console.table(Object.fromEntries(answers.map(([name, times]) => [name, { times }])));
  const rows = hosts.map((host) => {
    const own = kept.filter((one) => one.host === host).map(({ job }) => job);
    const ended = (/** @type {string} */ reason) => own.filter((job) => job.reason === reason).length;
    return [host.name, { jobs: own.length, exited: ended('exited'), canceled: ended('canceled') }];
  });
  console.table(Object.fromEntries(rows));
  const unanswered = kept.filter(({ job }) => !ledger.accepted.has(job.id)).length;
  console.log(
    `${ledger.accepted.size} jobs were accepted, ${unanswered} more were made whose reply was lost`,
  );
}

/** @param {Stage} stage @param {string} temporary */
async function tearDown({ hosts, redis, network }, temporary) {
  await Promise.all(hosts.map(async (host) => host.kill('SIGTERM')));
  await redis.end();
  const isOurs = (/** @type {string} */ _id, /** @type {readonly string[]} */ environment) =>
    environment.some((entry) => entry.startsWith(`FAKE_LAB_STATE=${temporary}/`));
  for (const { pid } of jobProcesses(isOurs)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  network.remove();
}

/** Ends with the exit code of the script. @param {Options} options */
export async function runClusterChaos(options) {
  const { kills, seed } = options;
  console.log(`seed ${seed}, ${kills} faults in a cluster`);
  const started = performance.now();
  const temporary = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'lab-api-chaos-')));
  const ended = interrupted();
  const stage = await build(temporary);
  let violations = ['the run did not come to its end'];
  try {
    violations = await Promise.race([run(stage, options), ended]);
  } catch (error) {
    violations = [
      ...stage.ledger.violations,
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    ];
  } finally {
    await tearDown(stage, temporary);
  }
  violations.push(...stage.hosts.flatMap(({ errors }) => errors));
  for (const violation of violations) console.log(`VIOLATION ${violation}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `${violations.length} violations, ${stage.ledger.accepted.size} accepted jobs, ${seconds} s, seed ${seed}`,
  );
  if (violations.length > 0) console.log(`kept: ${temporary}`);
  else rmSync(temporary, { recursive: true, force: true });
  return violations.length > 0 ? 1 : 0;
}
