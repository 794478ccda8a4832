// Compares what the jobs say with what they started, and with what Docker has of their labs.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { auditCleanups, auditNotes, auditPresence, linesOf } from '../audit.mjs';
import { isTerminal } from '../ledger.mjs';
import { leftOf } from './labs.mjs';

/** @typedef {import('./labs.mjs').Lab} Lab */
/** @typedef {import('./labs.mjs').Task} Task */
/** @typedef {import('../service.mjs').Service} Service */
/** @typedef {import('../ledger.mjs').Ledger} Ledger */
/**
 * @typedef {import('../ledger.mjs').Job & { action: string, workspace: string, startedAt: string | null,
 *   mayHaveLeftLab: boolean, warnings: readonly string[], result: { nodes: readonly { node: string }[] } | null }} Job
 */
/** The remains of a lab according to its jobs. @typedef {'all' | 'nothing' | 'its network' | 'perhaps its network' | 'perhaps something'} Told */

/** Whether a `down` tells of the network that it left. @param {readonly string[]} warnings @param {string} lab */
export const namesNetwork = (warnings, lab) =>
  warnings.some((warning) => warning.includes(`network "${lab}"`));

/**
 * The remains of a lab after a job, derived from those before it.
 * @param {Told} before @param {Job} job @returns {Told}
 */
function toldAfter(before, { action, state, mayHaveLeftLab, error, warnings, workspace }) {
  if (action === 'exec') return before;
  if (state === 'success') {
    if (action !== 'down') return 'all';
    return namesNetwork(warnings, workspace) ? 'its network' : 'nothing';
  }
  if (mayHaveLeftLab) return 'perhaps something';
  // By its name alone, containerlab finds no lab without containers, and looks for nothing else of it.
  const isAbsent = action === 'down' && /not found/.test(error ?? '');
  return isAbsent && before === 'perhaps something' ? 'perhaps its network' : before;
}

/** @param {Lab} lab @param {readonly Job[]} jobs */
function compareLab({ name, nodes }, jobs) {
  const ran = jobs
    .filter((job) => job.workspace === name && job.startedAt !== null)
    .toSorted((a, b) => (/** @type {string} */ (a.startedAt) < /** @type {string} */ (b.startedAt) ? -1 : 1));
  const told = ran.reduce(toldAfter, /** @type {Told} */ ('nothing'));
  const { containers, network } = leftOf(name);
  const seen = [
    ...containers.map((one) => `${one.name} (${one.state})`),
    ...(network ? [`network ${name}`] : []),
  ];
  const running = containers.filter(({ state }) => state === 'running').length;
  const isAll = network && running === nodes.length && containers.length === nodes.length;
  const isRight = {
    all: isAll,
    nothing: seen.length === 0,
    'its network': network && containers.length === 0,
    'perhaps its network': containers.length === 0,
    'perhaps something': true,
  }[told];
  const last = ran.at(-1);
  const found = isRight
    ? []
    : [
        `of ${name} there should be ${told} after ${last?.id} (${last?.action}), and there is: ${seen.join(', ') || 'nothing'}`,
      ];
  return { told, found, hasContainers: containers.length > 0 };
}

/** Compares the containers and networks with the list of the service. @param {Service} service @param {readonly Lab[]} labs @param {readonly Job[]} jobs */
export async function compareLabs(service, labs, jobs) {
  const { body } = await service.request('GET', '/labs');
  const listed = new Set(body.labs.map((/** @type {{ id: string }} */ { id }) => id));
  const looks = labs.map((lab) => ({ lab, ...compareLab(lab, jobs) }));
  const found = looks.flatMap(({ lab, found: wrong, hasContainers }) => [
    ...wrong,
    ...(listed.has(lab.name) === hasContainers
      ? []
      : [`${lab.name} is ${hasContainers ? 'not ' : ''}in the list of labs`]),
  ]);
  return { found, told: looks.map(({ told }) => told) };
}

/** @param {Job} job @param {number} starts @param {Ledger} ledger */
function auditJob(job, starts, ledger) {
  const is = `${job.id} (${job.action}) is "${job.state}, ${job.reason}, exit code ${job.exitCode}": ${job.error}`;
  if (!isTerminal(job)) return [is];
  const mayBe =
    job.reason === 'exited' ||
    (job.reason === 'canceled' && job.state === 'canceled' && ledger.touched.has(job.id));
  return [
    ...(mayBe ? [] : [is]),
    ...(starts > 1 || (job.reason === 'exited' && starts !== 1)
      ? [`${is}; it was started ${starts} times`]
      : []),
    ...(ledger.cancels.get(job.id) === 'canceled' && job.state !== 'canceled'
      ? [`${is}; its cancel was answered "canceled"`]
      : []),
    ...(job.state === 'failed' && job.error === null ? [`${is} without an error`] : []),
    ...(job.leftovers.length > 0 ? [`${is}; leftovers ${job.leftovers.join(', ')}`] : []),
  ];
}

/** A command in a node runs once for each start of its job, and a job that says so has run it. @param {Lab} lab @param {string} file @param {readonly Job[]} jobs @param {readonly string[]} starts */
function auditMarks({ nodes }, file, jobs, starts) {
  const times = starts.filter((id) => jobs.some((job) => job.id === id)).length;
  const successes = jobs.filter(({ state }) => state === 'success');
  return nodes.flatMap((node) => {
    const count = linesOf(`${file}-${node}`).length;
    const told = successes.filter(({ result }) => result?.nodes.some((one) => one.node === node)).length;
    return count > times || count < told
      ? [`${path.basename(file)} ran ${count} times in ${node}, of ${times} starts and ${told} successes`]
      : [];
  });
}

/**
 * Every violation, as a sentence.
 * @param {{ ledger: Ledger, jobs: readonly Job[], labs: readonly Lab[], state: string, dataDir: string, workspaces: string }} found
 */
export function auditJobs({ ledger, jobs, labs, state, dataDir, workspaces }) {
  const starts = linesOf(path.join(state, 'starts'));
  const found = [...auditPresence(jobs, starts, ledger)];
  for (const job of jobs) {
    ledger.see(job);
    const count = starts.filter((id) => id === job.id).length;
    const task = job.cleanupOf === null ? ledger.submitted.get(job.labels['chaos'] ?? '') : undefined;
    if (task === undefined && job.cleanupOf === null) found.push(`${job.id} was submitted by no client`);
    const isDue = task?.onCancel !== undefined && job.state === 'canceled';
    // That it had begun nothing is held against what there is of the lab.
    const beganNothing = count === 0 || !job.mayHaveLeftLab;
    found.push(...auditJob(job, count, ledger), ...auditCleanups(job, jobs, { isDue, beganNothing }));
  }
  for (const [label, task] of ledger.submitted) {
    const { lab: name, mark } = task;
    const lab = labs.find((one) => one.name === name);
    if (lab === undefined || mark === undefined) continue;
    const own = jobs.filter((job) => job.labels['chaos'] === label && job.action === 'exec');
    found.push(...auditMarks(lab, path.join(workspaces, name, 'marks', mark), own, starts));
    for (const other of labs.filter((one) => one !== lab)) {
      const strays = readdirSync(path.join(workspaces, other.name, 'marks')).filter((file) =>
        file.startsWith(`${mark}-`),
      );
      if (strays.length > 0) found.push(`a command for ${name} ran in ${other.name}: ${strays.join(', ')}`);
    }
  }
  return [...found, ...auditNotes(state, dataDir)];
}
