// Compares the jobs directories, the notes of each lab CLI and the answers of each host with the answers that clients got.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { auditNotes, linesOf } from '../audit.mjs';
import { isTerminal } from '../ledger.mjs';

/** @typedef {import('../ledger.mjs').Job & { host: string, action: string, startedAt: string | null, finishedAt: string | null, request: Record<string, unknown> }} Job */
/** @typedef {import('../ledger.mjs').Ledger} Ledger */
/** @typedef {import('./machines.mjs').Host} Host */
/** A job as its host has it on disk. @typedef {{ host: Host, job: Job }} Kept */

/** @param {Job} job @param {Ledger} ledger @returns {Partial<import('./requests.mjs').Task>} */
const taskOf = (job, ledger) => ledger.submitted.get(job.labels['chaos'] ?? '') ?? {};

/** @param {Host} host @returns {Kept[]} */
export const keptBy = (host) => host.keptJobs().map((job) => ({ host, job }));

/** @param {readonly Kept[]} kept @param {(one: Kept) => string} nameOf @returns {Map<string, Kept[]>} */
function groupBy(kept, nameOf) {
  const groups = new Map();
  for (const one of kept) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
  return groups;
}

/** Every accepted job is there, once. @param {readonly Kept[]} kept @param {Ledger} ledger */
function auditPresence(kept, ledger) {
  const hostsOf = groupBy(kept, ({ job }) => job.id);
  const byLabel = groupBy(kept, ({ job }) => job.labels['chaos'] ?? '');
  const found = [...ledger.accepted.keys()]
    .filter((id) => !hostsOf.has(id))
    .map((id) => `LOST ${id} was accepted and is on no host`);
  for (const [id, all] of hostsOf)
    if (all.length > 1) found.push(`TWO HOSTS have ${id}: ${all.map(({ host }) => host.name).join(', ')}`);
  for (const [label, all] of byLabel) {
    const task = ledger.submitted.get(label);
    if (task === undefined)
      found.push(`${all.map(({ job }) => job.id).join(', ')}: no client submitted this`);
    if (all.length <= 1) continue;
    const where = all.map(({ host, job }) => `${job.id} on ${host.name} (${job.state})`).join(', ');
    found.push(`DOUBLED: one request (${task?.kind}, ${task?.key ?? 'no key'}) made ${where}`);
  }
  return found;
}

/** The commands that each lab CLI ran. @param {readonly Host[]} hosts @param {readonly Kept[]} kept @param {Ledger} ledger */
function auditRuns(hosts, kept, ledger) {
  /** @type {string[]} */
  const found = [];
  const startsOf = new Map(hosts.map((host) => [host, linesOf(path.join(host.state, 'starts'))]));
  for (const [host, starts] of startsOf) {
    const own = new Set(kept.filter((one) => one.host === host).map(({ job }) => job.id));
    for (const id of starts)
      if (!own.has(id)) found.push(`${host.name} ran ${id}, which is none of its jobs`);
    found.push(...auditNotes(host.state, host.dataDir).map((note) => `${note}, on ${host.name}`));
    const runs = linesOf(path.join(host.state, 'runs'));
    for (const action of ['up', 'down']) {
      const ran = runs.filter((line) => line.startsWith(`${action} `) || line === action).length;
      const jobs = kept.filter((one) => one.host === host && one.job.action === action);
      const least = jobs.filter(({ job }) => job.reason === 'exited').length;
      if (ran < least || ran > jobs.length)
        found.push(
          `${host.name} ran "${action}" ${ran} times for ${jobs.length} jobs; ${least} jobs ran to their end`,
        );
    }
  }
  const all = [...startsOf.values()].flat();
  for (const { host, job } of kept) {
    const starts = all.filter((id) => id === job.id).length;
    found.push(...auditEnd({ host, job }, starts, ledger));
  }
  return found;
}

/** @param {Kept} kept @param {number} starts @param {Ledger} ledger */
function auditEnd({ host, job }, starts, ledger) {
  const { ends = [], kind } = taskOf(job, ledger);
  const is = `${job.id} (${kind}) on ${host.name} is ${job.state}, ${job.reason}, exit code ${job.exitCode}, started ${starts} times`;
  if (!isTerminal(job)) return [`${is}: it does not end`];
  if (starts > 1) return [`RUN TWICE: ${is}`];
  if (ledger.cancels.has(job.id) && job.reason !== 'canceled') {
    // A cancel of a job that ends by itself in that moment was right as well.
    if (job.reason !== 'exited') return [`${is}: its cancel was accepted`];
  }
  if (job.reason === 'exited') {
    const isRight = ends.some((end) => end.exit === job.exitCode && end.starts === starts);
    return isRight ? [] : [`${is}: ${job.error}`];
  }
  return job.reason === 'canceled' && ledger.touched.has(job.id) ? [] : [`${is}: ${job.error}`];
}

/** A job and its log are the same through every host. @param {Kept} kept @param {readonly Host[]} hosts @param {Ledger} ledger */
async function auditThrough({ host, job }, hosts, ledger) {
  /** @type {string[]} */
  const found = [];
  const { ends = [] } = taskOf(job, ledger);
  const file = path.join(host.dataDir, 'jobs', job.id, 'log');
  const onDisk = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  const isRight = (/** @type {string} */ log) =>
    job.reason === 'exited'
      ? ends.some((end) => end.exit === job.exitCode && end.log === log)
      : ends.some((end) => end.log.startsWith(log));
  for (const through of hosts) {
    const seen = await through.request('GET', `/jobs/${job.id}`);
    const log = await through.request('GET', `/jobs/${job.id}/log?output=text`);
    const say = (/** @type {string} */ what) =>
      found.push(`${job.id} of ${host.name} through ${through.name}: ${what}`);
    if (seen.status !== 200) say(`NOT FOUND: ${seen.status} ${seen.body.error}`);
    else if (seen.body.host !== host.name || seen.body.state !== job.state || seen.body.stale)
      say(`is ${seen.body.state} on ${seen.body.host}, stale ${seen.body.stale}, and should be ${job.state}`);
    if (log.status !== 200) say(`its log: ${log.status} ${log.body.error}`);
    else if (!isRight(log.body)) say(`its log of ${log.body.length} bytes is not what it printed`);
    else if (onDisk !== undefined && onDisk !== log.body) say('its log is another on disk');
  }
  return found;
}

/** @param {readonly Host[]} hosts @param {readonly Kept[]} kept */
async function auditLists(hosts, kept) {
  /** @type {string[]} */
  const found = [];
  for (const through of hosts) {
    const { jobs: listed, missing } = await through.listJobs();
    const jobs = new Set(listed.map(({ id }) => id));
    if (missing.length > 0) found.push(`the list of ${through.name} is without ${missing.join(', ')}`);
    for (const { host, job } of kept)
      if (!jobs.has(job.id)) found.push(`${job.id} of ${host.name} is not in the list of ${through.name}`);
    if (jobs.size > kept.length) found.push(`${through.name} lists ${jobs.size} jobs of ${kept.length}`);
  }
  return found;
}

/** The rows in Redis are those of the jobs. @param {import('ioredis').Redis} client @param {readonly Host[]} hosts @param {readonly Kept[]} kept */
export async function auditIndex(client, hosts, kept) {
  /** @type {string[]} */
  const found = [];
  for (const host of hosts) {
    const rows = await client.zrange(`lab-api:jobs:${host.id}`, '0', '-1');
    const indexed = rows.map((row) => row.slice(0, row.indexOf(' ')));
    const own = new Set(kept.filter((one) => one.host === host).map(({ job }) => job.id));
    if (new Set(indexed).size < indexed.length) found.push(`the index has a job of ${host.name} twice`);
    for (const id of own) if (!indexed.includes(id)) found.push(`${id} of ${host.name} is not in the index`);
    for (const id of indexed) if (!own.has(id)) found.push(`the index has ${id}, which ${host.name} has not`);
  }
  return found;
}

/** A log that was followed to its end through whichever host was whole then. @param {readonly Kept[]} kept @param {Ledger} ledger */
function auditFollowed(kept, ledger) {
  const jobs = new Map(kept.map(({ job }) => [job.id, job]));
  return ledger.followed.flatMap(({ id, through, text, when }) => {
    const job = jobs.get(id);
    if (job?.reason !== 'exited') return [];
    const { ends = [] } = taskOf(job, ledger);
    if (ends.some(({ log, exit }) => log === text && exit === job.exitCode)) return [];
    return [
      `the log of ${id}, which ended at ${job.finishedAt}, followed through ${through} ${when}, ended after ${text.length} bytes without a word`,
    ];
  });
}

/** @param {Kept | undefined} kept */
const startOf = (kept) => kept?.job.startedAt ?? '';

/** Whether a `down --cleanup` gave the directory back on that host after one job, and before the next. @param {{ kept: readonly Kept[], before: Kept | undefined, next: Kept | undefined }} jobs */
function wasGivenBack({ kept, before, next }) {
  return kept.some(
    ({ host, job }) =>
      host === before?.host &&
      job.workdir === before.job.workdir &&
      job.action === 'down' &&
      job.request['cleanup'] === true &&
      job.state === 'success' &&
      startOf({ host, job }) >= startOf(before) &&
      (job.finishedAt ?? '') <= startOf(next),
  );
}

/** A directory belongs to one host until it is cleaned up: no two hosts had it. @param {readonly string[]} directories that all hosts have @param {readonly Kept[]} kept */
function auditDirectories(directories, kept) {
  const byId = new Map(kept.map((one) => [one.job.id, one]));
  return directories.flatMap((directory) => {
    const ran = linesOf(path.join(directory, '.ran')).map((line) => byId.get(line.split(' ')[0] ?? ''));
    return ran.flatMap((next, at) => {
      const before = ran[at - 1];
      if (at === 0 || next?.host === before?.host || wasGivenBack({ kept, before, next })) return [];
      return [
        `${directory} was ${before?.host.name}'s (${before?.job.id}, ${before?.job.state}) and then ` +
          `${next?.host.name}'s (${next?.job.id}, started ${startOf(next)})`,
      ];
    });
  });
}

/**
 * Every violation, as a sentence, and all jobs that there are.
 * @param {{ hosts: readonly Host[], ledger: Ledger, client: import('ioredis').Redis, directories: readonly string[] }} found
 */
export async function auditCluster({ hosts, ledger, client, directories }) {
  const kept = hosts.flatMap(keptBy);
  const violations = [
    ...auditPresence(kept, ledger),
    ...auditRuns(hosts, kept, ledger),
    ...auditDirectories(directories, kept),
    ...(await auditLists(hosts, kept)),
    ...(await auditIndex(client, hosts, kept)),
    ...auditFollowed(kept, ledger),
  ];
  for (const one of kept) violations.push(...(await auditThrough(one, hosts, ledger)));
  return { kept, violations };
}
