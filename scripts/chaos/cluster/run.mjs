// The whole of a run with a cluster: builds it, disturbs it under load, heals it, and audits what is left.
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killJobProcesses } from '../../lib/job-processes.mjs';
import { isTerminal, Ledger } from '../ledger.mjs';
import { useService, User } from '../user.mjs';
import { auditCluster, auditIndex, keptBy } from './audit.mjs';
import { faultRepeatedly } from './faults.mjs';
import { RedisMachine } from '../../lib/redis.mjs';
import { Host, seeEachOther } from './machines.mjs';
import { makeNetwork } from './network.mjs';
import { makeRequest, sharedDirectories } from './requests.mjs';

class ClusterUser extends User {
  async list() {
    const reply = await this.service.request('GET', '/jobs?limit=50');
    this.expect('GET /jobs', reply);
    if (reply.status === 200) for (const job of reply.body.jobs) this.means.ledger.see(job);
  }

  async readLog() {
    const { ledger, random } = this.means;
    const id = this.recent;
    if (id === undefined) return;
    const host = /** @type {Host} */ (this.service);
    const isFollowed = random() < 0.5;
    const began = new Date().toISOString();
    const query = `output=text${isFollowed ? '&follow=true' : ''}`;
    const reply = await host.request('GET', `/jobs/${id}/log?${query}`);
    this.expect(isFollowed ? 'log, followed' : 'log', reply);
    if (reply.status !== 200) return;
    const when = `${began} to ${new Date().toISOString()}`;
    if (isFollowed) ledger.followed.push({ id, through: host.name, text: reply.body, when });
    /** @type {import('./requests.mjs').Task['ends']} */
    const ends = ledger.submitted.get(ledger.accepted.get(id) ?? '')?.ends ?? [];
    if (!ends.some(({ log }) => log.startsWith(reply.body)))
      ledger.violations.push(
        `the log of ${id} through ${host.name} is not what it prints: "${reply.body.slice(0, 80)}"`,
      );
  }
}

/** @param {ConstructorParameters<typeof User>[0]} means */
function clusterUser(means) {
  const user = new ClusterUser(means);
  const [submit, submitOnce] = [async () => user.submit(), async () => user.submitOnce()];
  const readLog = async () => user.readLog();
  const others = [async () => user.cancel(), async () => user.look(), async () => user.list()];
  return { user, deeds: [submit, submit, submitOnce, submitOnce, readLog, readLog, ...others] };
}

const clients = 10;
const directories = 6;
const labelsOf = { one: [], two: ['big'], three: ['big', 'kvm'] };
const healMs = 150_000;

/** @typedef {Awaited<ReturnType<typeof makeStage>>} Stage */

/** @param {string} temporary */
async function makeStage(temporary) {
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
  return {
    network,
    redis,
    hosts,
    shared,
    note,
    ledger: new Ledger(),
  };
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

/** @param {Stage} stage */
const allUp = async (stage) =>
  healed(stage, 'all hosts see all hosts', async () => seeEachOther(stage.hosts));

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
      const { jobs, missing } = await host.listJobs();
      if (missing.length > 0 || !jobs.every((job) => isTerminal(job) && !job.stale)) return false;
    }
    return true;
  });
  // A host writes its rows again some seconds after Redis is back, and a job is found through other hosts by its row alone.
  await healed(stage, 'the rows of all jobs are in Redis', async () => {
    const violations = await auditIndex(redis.client, hosts, hosts.flatMap(keptBy));
    return violations.length === 0;
  });
}

/** @param {Stage} stage @param {import('../../chaos.mjs').Options} options */
async function run(stage, { kills, random }) {
  const { redis, hosts, network, ledger, shared, note } = stage;
  redis.start();
  await redis.answers();
  await Promise.all(hosts.map(async (host) => host.start()));
  await allUp(stage);
  const over = new AbortController();
  const makeJob = (/** @type {typeof random} */ next) => makeRequest(next, shared);
  const means = { services: hosts, ledger, random, makeJob, signal: over.signal, mayFail: true };
  const load = Array.from({ length: clients }, async () => {
    const { user, deeds } = clusterUser(means);
    return useService(user, deeds);
  });
  const done = await faultRepeatedly({ hosts, redis, network, random, note }, kills);
  over.abort();
  console.log('all is mended; letting all jobs end');
  await redis.answers();
  await Promise.all(load);
  await allUp(stage);
  await quiet(stage);
  const found = { hosts, ledger, client: redis.client, directories: shared };
  const { kept, violations } = await auditCluster(found);
  show(stage, done, kept);
  ledger.violations.push(...violations);
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

/** @param {import('../../chaos.mjs').Options} options @returns {Promise<import('../../lib/trial.mjs').Trial>} */
export async function build(options) {
  const { temporary } = options;
  const stage = await makeStage(temporary);
  const { hosts, redis, network, ledger } = stage;
  return {
    violations: ledger.violations,
    run: async () => run(stage, options),
    end: async () => {
      await Promise.all(hosts.map(async (host) => host.kill('SIGTERM')));
      await redis.end();
      killJobProcesses(`FAKE_LAB_STATE=${temporary}/`);
      network.remove();
      ledger.violations.push(...hosts.flatMap(({ errors }) => errors));
    },
    accepted: () => ledger.accepted.size,
  };
}
