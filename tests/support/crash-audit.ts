/** Lets all jobs that a crashed service left end under a sound one, and compares them with what was promised. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Promises, Task } from './crash-promises.ts';
import { eventually } from './eventually.ts';
import type { Client } from './client.ts';
import { processesOf, startService, type Ground } from './service.ts';

interface Audited {
  readonly tasks: readonly Task[];
  readonly env?: Readonly<Record<string, string>>;
}

interface ListedJob {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly labels: { readonly task: string };
  readonly cleanupOf: string | null;
  readonly cleanupJobId: string | null;
}

function startsOf(ground: Ground, id: string): number {
  const file = path.join(ground.env['FAKE_LAB_STATE'] ?? '', 'starts');
  const starts = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return starts.filter((line) => line === id).length;
}

/** Whether a job may have ended like this, and what of its log has to be there. Nobody kills jobs, so none is interrupted. */
function judgeEnd(
  task: Task,
  job: Record<string, unknown>,
  wasCanceled: boolean,
): 'whole' | 'part' | 'wrong' {
  const { state, reason, exitCode } = job;
  if (reason === 'exited' && !wasCanceled) {
    const expected = task.exitCode === 0 ? 'success' : 'failed';
    return state === expected && exitCode === task.exitCode ? 'whole' : 'wrong';
  }
  if (reason === 'timeout') return state === 'failed' && task.timeoutSeconds !== undefined ? 'part' : 'wrong';
  return reason === 'canceled' && state === 'canceled' ? 'part' : 'wrong';
}

async function auditJob(
  client: Client,
  ground: Ground,
  id: string,
  facts: { task: Task; wasCanceled: boolean },
) {
  const { task, wasCanceled } = facts;
  const job = (await client.job(id)) as Record<string, unknown>;
  const log = await client.logText(id);
  const starts = startsOf(ground, id);
  const whole = task.lines.map((line) => `${line}\n`).join('');
  const end = judgeEnd(task, job, wasCanceled);
  const is = `${task.name} is ${String(job['state'])} (${String(job['reason'])}, exit code ${String(job['exitCode'])}), was started ${starts} time(s), and printed ${JSON.stringify(log)}`;
  const isRight = {
    wrong: false,
    // It ran on without the service, whatever became of that.
    whole: starts === 1 && log === whole,
    part: starts <= 1 && whole.startsWith(log) && (starts === 1 || log === ''),
  }[end];
  const left = await processesOf(id);
  return [
    ...(isRight ? [] : [is]),
    ...(left.length === 0 ? [] : [`${task.name} has left the processes ${left.join(', ')}`]),
  ];
}

async function list(service: Client, query = ''): Promise<ListedJob[]> {
  return (await service.get(`/jobs?limit=100${query}`)).json.jobs as ListedJob[];
}

/** Every job that was promised is there, once, and none that was removed. */
function auditPresence(jobs: readonly ListedJob[], tasks: readonly Task[], promises: Promises): string[] {
  const there = new Set(jobs.map(({ id }) => id));
  const missing = [...promises.accepted.keys()].filter((id) => !there.has(id) && !promises.removable.has(id));
  const twice = tasks.filter(
    ({ name }) => jobs.filter((job) => job.cleanupOf === null && job.labels.task === name).length > 1,
  );
  return [
    ...missing.map((id) => `${id} was accepted and is gone`),
    ...[...promises.removed].filter((id) => there.has(id)).map((id) => `${id} was removed and is there`),
    ...twice.map(({ name }) => `there is more than one ${name}`),
  ];
}

/** A canceled `up` has its one `down`, which ran once; any other job has none. */
function auditCleanups(jobs: readonly ListedJob[], task: Task, up: ListedJob, ground: Ground): string[] {
  const downs = jobs.filter(({ cleanupOf }) => cleanupOf === up.id);
  const isDue = task.onCancel !== undefined && up.state === 'canceled';
  const is = `${task.name} is ${up.state}, speaks of ${up.cleanupJobId}, and is followed by ${JSON.stringify(downs)}`;
  const [down] = downs;
  if (downs.length !== (isDue ? 1 : 0) || up.cleanupJobId !== (down?.id ?? null)) return [is];
  if (!down) return [];
  const runs = ground.runs('down').length;
  return down.state === 'success' && runs === 1 ? [] : [`${is}; "down" ran ${runs} time(s)`];
}

/** For a person to see what is damaged. */
function recordIn(directory: string): string {
  const file = path.join(directory, 'job.json');
  return existsSync(file) ? readFileSync(file, 'utf8') : `it has ${readdirSync(directory).join(', ')} alone`;
}

/** What is below the jobs directory besides jobs is as it should be. */
async function auditDirectory({ dataDir }: Ground): Promise<string[]> {
  const names = (name: string): string[] => {
    const directory = path.join(dataDir, 'jobs', name);
    return existsSync(directory) ? readdirSync(directory) : [];
  };
  const quarantine = path.join(dataDir, 'jobs', '.quarantine');
  const isEmpty = await eventually('an empty trash', () => names('.trash').length === 0).catch(() => false);
  return [
    ...names('.quarantine').map((name) => `${name} was set aside: ${recordIn(path.join(quarantine, name))}`),
    ...(isEmpty ? [] : [`the trash holds ${names('.trash').join(', ')}`]),
  ];
}

/** What was finished before the crash is found by the index file, and shown from its record: they must tell the same. */
async function auditIndex(service: Client, jobs: readonly ListedJob[]): Promise<string[]> {
  const states = new Set(jobs.map(({ state }) => state));
  const found = await Promise.all([...states].map(async (state) => list(service, `&state=${state}`)));
  const sort = (some: readonly ListedJob[]): string =>
    some
      .map(({ id, state }) => `${id} ${state}`)
      .toSorted()
      .join(', ');
  return sort(jobs) === sort(found.flat())
    ? []
    : [`the index has ${sort(found.flat())}; there are ${sort(jobs)}`];
}

/** Starts a sound service on what the crashed one left, lets every job end, and tells what is not as it should be. */
export async function audit({ tasks, env }: Audited, ground: Ground, promises: Promises): Promise<string[]> {
  const service = await startService({ ground, ...(env ? { env } : {}) });
  for (const { gate } of tasks) if (gate !== undefined) ground.let(gate);
  const found: string[] = [];
  for (const task of tasks)
    if (task.key !== undefined)
      await promises.repeat(service, ground, task).catch((error: Error) => found.push(error.message));
  // Listed anew each time: the end of an `up` may bring a `down`.
  const seen = new Set<string>();
  for (;;) {
    const id = (await list(service)).map((job) => job.id).find((each) => !seen.has(each));
    if (id === undefined) break;
    seen.add(id);
    // One that is to be removed may go at any moment, while it is waited for, too.
    if (promises.removable.has(id))
      await eventually(`${id} to end, or to be gone`, async () => {
        const { status, json } = await service.get(`/jobs/${id}`);
        return status === 404 || ['success', 'failed', 'canceled'].includes(String(json.state));
      });
    else await service.ended(id);
    await eventually(`the shim of ${id} to be gone`, async () => (await processesOf(id)).length === 0).catch(
      () => false,
    );
  }
  // What is too old goes behind the start of a service, and would go in the middle of what follows.
  const kept = Number(env?.['LAB_API_KEEP_JOBS'] ?? Infinity);
  await eventually('old jobs to be gone', async () => (await list(service)).length <= kept);
  const jobs = await list(service);
  found.push(...auditPresence(jobs, tasks, promises));
  for (const job of jobs.filter(({ cleanupOf }) => cleanupOf === null)) {
    const task = tasks.find(({ name }) => name === job.labels.task);
    if (!task) throw new Error(`${job.id} is nobody's job`);
    const facts = { task, wasCanceled: promises.canceled.has(job.id) };
    found.push(...(await auditJob(service, ground, job.id, facts)));
    found.push(...auditCleanups(jobs, task, job, ground));
  }
  found.push(...(await auditDirectory(ground)), ...(await auditIndex(service, jobs)));
  await service.stop();
  return found;
}
