// Compares what is left after the last restart with what the clients know and what the jobs themselves wrote down.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isTerminal } from './ledger.mjs';

const patienceMs = 120_000;

/** Pids of living processes, each with the id of its job, of those that were started with this assignment. */
export function jobProcesses(assignment) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        const id = environment.find((entry) => entry.startsWith('LAB_JOB_ID='))?.slice('LAB_JOB_ID='.length);
        return id !== undefined && environment.includes(assignment) ? [{ pid: Number(pid), id }] : [];
      } catch {
        // Gone meanwhile, or somebody else's.
        return [];
      }
    });
}

async function listJobs(service) {
  const jobs = [];
  for (let cursor = ''; cursor !== null;) {
    const { body } = await service.request('GET', `/jobs?limit=500${cursor && `&cursor=${cursor}`}`);
    jobs.push(...body.jobs);
    cursor = body.nextCursor;
  }
  return jobs;
}

/** All jobs, once none of them goes on; after a long time also when one still does. */
export async function finalJobs(service) {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const jobs = await listJobs(service);
    if (jobs.every(isTerminal) || performance.now() > deadline) return jobs;
    await delay(200);
  }
}

function readLines(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** Whether a job could come to this end, and which part of its log has to be there. */
function judge(job, { exit, timeoutSeconds }, facts) {
  const { state, reason, exitCode } = job;
  const asExpected = state === (exit === 0 ? 'success' : 'failed') && exitCode === exit;
  if (reason === 'exited') return asExpected && timeoutSeconds === undefined ? 'whole' : 'wrong';
  if (reason === 'timeout') return state === 'failed' && timeoutSeconds !== undefined ? 'part' : 'wrong';
  if (reason === 'canceled') return state === 'canceled' && facts.wasTouched ? 'part' : 'wrong';
  // Nobody kills jobs here, so only one that never began can be interrupted.
  return reason === 'interrupted' && state === 'failed' && !facts.starts ? 'part' : 'wrong';
}

/** `starts` is undefined when jobs of this kind do not count them. */
async function auditJob(service, job, { task, starts, ledger }) {
  const found = [];
  const say = (what) => found.push(`${job.id} (${task.kind}): ${what}`);
  const is = `${job.state}, ${job.reason}, exit code ${job.exitCode}`;
  if (!isTerminal(job)) say(`is still ${job.state}`);
  const end = judge(job, task, { starts, wasTouched: ledger.touched.has(job.id) });
  if (end === 'wrong') say(`ended as "${is}", started ${starts} time(s): ${job.error}`);
  if (starts > 1 || (end === 'whole' && starts === 0)) say(`was started ${starts} times`);
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

/** In each directory, jobs start in the order in which they were accepted. */
function auditOrder(jobs, starts) {
  const workdirs = new Map(jobs.map((job) => [job.id, job.workdir]));
  const last = new Map();
  return starts.flatMap((id) => {
    const workdir = workdirs.get(id);
    const before = last.get(workdir) ?? '';
    last.set(workdir, id);
    return before > id ? [`${id} was started after ${before}, which came later`] : [];
  });
}

/** Every violation, as a sentence. */
export async function audit({ service, ledger, jobs, state, dataDir }) {
  const found = [...ledger.violations, ...service.errors.map((line) => `the service logged ${line}`)];
  const starts = readLines(path.join(state, 'starts'));
  const ids = new Set(jobs.map(({ id }) => id));
  for (const id of ledger.accepted) if (!ids.has(id)) found.push(`${id} was accepted and is gone`);
  for (const id of starts) if (!ids.has(id)) found.push(`${id} was started and is in no list`);
  for (const job of jobs) {
    ledger.see(job);
    const task = ledger.submitted.get(job.labels.chaos);
    const count = task.countsStarts ? starts.filter((id) => id === job.id).length : undefined;
    found.push(...(await auditJob(service, job, { task, ledger, starts: count })));
  }
  found.push(...auditOrder(jobs, starts));
  for (const id of readLines(path.join(state, 'overlaps')))
    found.push(`${id} ran beside another in its directory`);
  for (const name of readdirSync(path.join(dataDir, 'jobs', '.quarantine')))
    found.push(`${name} was set aside`);
  return found;
}
