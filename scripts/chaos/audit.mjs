// Compares the jobs after the last restart with the answers that clients got and with the notes of the jobs themselves.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal } from './ledger.mjs';

/** @typedef {import('./ledger.mjs').Job} Job */
/** @typedef {import('./kinds.mjs').Task} Task */
/** @typedef {import('./ledger.mjs').Ledger} Ledger */
/** @typedef {import('./service.mjs').Service} Service */
/** `starts` is undefined when jobs of this kind do not count them. @typedef {{ task: Task, starts: number | undefined }} Facts */

const patienceMs = 120_000;

/** All jobs, as soon as all have ended, or when patience is over. @param {Service} service */
export async function finalJobs(service) {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const { jobs } = await service.listJobs();
    if (jobs.every(isTerminal) || performance.now() > deadline) return jobs;
    await delay(200);
  }
}

/** @param {string} file */
export function linesOf(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/**
 * Whether a job could come to this end, and which part of its log has to be there.
 * @param {Job} job
 * @param {Task} task
 * @param {boolean} wasTouched whether a client may have canceled it
 */
function judge(job, { exit, timeoutSeconds }, wasTouched) {
  const { state, reason, exitCode } = job;
  const asExpected = state === (exit === 0 ? 'success' : 'failed') && exitCode === exit;
  if (reason === 'exited') return asExpected && timeoutSeconds === undefined ? 'whole' : 'wrong';
  if (reason === 'timeout') return state === 'failed' && timeoutSeconds !== undefined ? 'part' : 'wrong';
  // This run kills no jobs, so none is interrupted: jobs that had not begun are started later.
  return reason === 'canceled' && state === 'canceled' && wasTouched ? 'part' : 'wrong';
}

/** @param {Service} service @param {Job} job @param {Facts & { ledger: Ledger }} facts */
async function auditJob(service, job, { task, starts, ledger }) {
  /** @type {string[]} */
  const found = [];
  const say = (/** @type {string} */ what) => found.push(`${job.id} (${task.kind}): ${what}`);
  const is = `${job.state}, ${job.reason}, exit code ${job.exitCode}`;
  if (!isTerminal(job)) say(`is still ${job.state}`);
  const end = judge(job, task, ledger.touched.has(job.id));
  if (end === 'wrong') say(`ended as "${is}", started ${starts} time(s): ${job.error}`);
  if ((starts ?? 0) > 1 || (end === 'whole' && starts === 0)) say(`was started ${starts} times`);
  if (ledger.cancels.get(job.id) === 'canceled' && job.state !== 'canceled')
    say(`its cancel was answered "canceled", and it is "${is}"`);
  if (job.leftovers.length > 0) say(`leftovers ${job.leftovers.join(', ')}`);
  const { body: log } = await service.request('GET', `/jobs/${job.id}/log?output=text`);
  // A real lab CLI has words of its own about an interruption.
  const isCutRight = task.log.startsWith(log) || (!task.countsStarts && job.reason === 'canceled');
  const isLogRight = end === 'whole' ? log === task.log : isCutRight;
  if (!isLogRight) say(`its log of ${log.length} bytes is not what it printed`);
  if (job.logSize !== Buffer.byteLength(log))
    say(`logSize is ${job.logSize}, the log has ${Buffer.byteLength(log)}`);
  return found;
}

const downLog = 'Fatal error in netlab down: no lab is running here\n';

/** A `down` that the service itself queued: it ran once or, like any job, was canceled. @param {Service} service @param {Job} job @param {Ledger} ledger */
async function auditDown(service, job, ledger) {
  const { body: log } = await service.request('GET', `/jobs/${job.id}/log?output=text`);
  const is = `${job.id} (down) is ${job.state}, ${job.reason}, exit code ${job.exitCode}, with the log "${log}"`;
  /** @type {Record<string, boolean>} */
  const rightBy = {
    exited: job.exitCode === 1 && log === downLog,
    canceled: job.state === 'canceled' && ledger.touched.has(job.id),
  };
  return isTerminal(job) && rightBy[job.reason] ? [] : [is];
}

/**
 * An `up` that was to be taken down when it was ended half-way has one `down`; any other job has none.
 * @param {Job} job
 * @param {readonly Job[]} jobs
 * @param {{ isDue: boolean, beganNothing: boolean }} facts
 */
export function auditCleanups(job, jobs, { isDue, beganNothing }) {
  const downs = jobs.filter(({ cleanupOf }) => cleanupOf === job.id).map(({ id }) => id);
  const isOne = downs.length === 1 && downs[0] === job.cleanupJobId;
  const isNone = downs.length === 0 && job.cleanupJobId === null;
  // Canceled before its program ran, it may have had a process all the same.
  if (isDue ? isOne || (isNone && beganNothing) : isNone) return [];
  return [`${job.id} is ${job.state}, names ${job.cleanupJobId}, and has the downs ${downs.join(', ')}`];
}

/** Accepted jobs are there, once, and removed jobs are not. @param {readonly Job[]} jobs @param {readonly string[]} starts @param {Ledger} ledger */
export function auditPresence(jobs, starts, ledger) {
  const ids = new Set(jobs.map(({ id }) => id));
  const mayBeGone = (/** @type {string} */ id) => ids.has(id) || ledger.doomed.has(id);
  const keyed = [...ledger.keyed].map(([label, id]) => ({
    id,
    made: jobs.filter(
      (job) => job.labels['chaos'] === label && job.retryOf === null && job.cleanupOf === null,
    ),
  }));
  return [
    ...[...ledger.accepted.keys()]
      .filter((id) => !mayBeGone(id))
      .map((id) => `${id} was accepted and is gone`),
    ...starts.filter((id) => !mayBeGone(id)).map((id) => `${id} was started and is in no list`),
    ...[...ledger.removed].filter((id) => ids.has(id)).map((id) => `${id} was removed and is there`),
    ...keyed
      .filter(({ id, made }) => made.some((job) => job.id !== id) && !ledger.doomed.has(id))
      .map(({ id, made }) => `the key of ${id} made ${made.map((job) => job.id).join(', ')}`),
  ];
}

/** In each directory, jobs start in the order in which they were accepted. @param {readonly Job[]} jobs @param {readonly string[]} starts */
function auditOrder(jobs, starts) {
  const workdirs = new Map(jobs.map((job) => [job.id, job.workdir]));
  const last = new Map();
  // The directory of a removed job is unknown.
  const known = starts.filter((id) => workdirs.has(id));
  return known.flatMap((id) => {
    const workdir = workdirs.get(id);
    const before = last.get(workdir) ?? '';
    last.set(workdir, id);
    return before > id ? [`${id} was started after ${before}, which came later`] : [];
  });
}

/** The violations that each lab CLI and the service noted themselves. @param {string} state @param {string} dataDir */
export function auditNotes(state, dataDir) {
  const besideOthers = linesOf(path.join(state, 'overlaps')).map(
    (id) => `${id} ran beside another in its directory`,
  );
  const setAside = readdirSync(path.join(dataDir, 'jobs', '.quarantine')).map(
    (name) => `${name} was set aside`,
  );
  return [...besideOthers, ...setAside];
}

/**
 * Every violation, as a sentence.
 * @param {{ service: Service, ledger: Ledger, jobs: readonly Job[], state: string, dataDir: string }} found
 */
export async function audit({ service, ledger, jobs, state, dataDir }) {
  const starts = linesOf(path.join(state, 'starts'));
  const found = auditPresence(jobs, starts, ledger);
  for (const job of jobs) {
    ledger.see(job);
    if (job.cleanupOf !== null) {
      found.push(...(await auditDown(service, job, ledger)));
      continue;
    }
    /** @type {Task | undefined} */
    const task = ledger.submitted.get(job.labels['chaos'] ?? '');
    if (task === undefined) {
      found.push(`${job.id} was not submitted by any client`);
      continue;
    }
    const count = starts.filter((id) => id === job.id).length;
    const facts = { task, ledger, starts: task.countsStarts ? count : undefined };
    const isDue = task.onCancel !== undefined && job.state === 'canceled';
    found.push(
      ...(await auditJob(service, job, facts)),
      ...auditCleanups(job, jobs, { isDue, beganNothing: facts.starts === 0 }),
    );
  }
  return [...found, ...auditOrder(jobs, starts), ...auditNotes(state, dataDir)];
}
