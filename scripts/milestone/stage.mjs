/** The service of a milestone, its jobs and the directory of its lab. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { call as callService, endOf as endOfJob, followLog } from '../lib/http.mjs';
import { done, must, say } from '../lib/words.mjs';
import { plainEnvironment, root as repository, startService } from '../lib/service.mjs';
import { temporaryDirectory } from '../lib/temporary-directory.mjs';
import { tries } from '../lib/wait.mjs';
import { labContainers } from './machine.mjs';

/** @typedef {{ action: string } & Record<string, unknown>} JobBody */

export const root = temporaryDirectory('lab-api-milestone');
export const dataDir = path.join(root, 'data');
export const workdir = path.join(root, 'lab');
mkdirSync(workdir);
export const topologyPath = path.join(repository, 'examples', 'ospf', 'topology.yml');

/** @type {Awaited<ReturnType<typeof startService>> | undefined} */
let service;
/** The job that takes down the lab at the end of the script, if there may be one. @type {JobBody | undefined} */
let lastDown;

/** @param {Record<string, unknown> | undefined} lab the fields of a job that name the lab; undefined when there is none */
export const labMayBeUp = (lab) => (lastDown = lab && { ...lab, action: 'down', cleanup: true, force: true });

/** Starts the service, on the same data directory each time. @param {Record<string, string>} [settings] */
export async function start(settings = {}) {
  service = await startService({
    env: { ...plainEnvironment(), LAB_API_DATA_DIR: dataDir, ...settings },
    isDetached: true,
  });
  say(`  the service listens on ${service.url}`);
}

/** The service goes down without a word, and comes again. */
export async function crashAndStart() {
  await service?.end('SIGKILL');
  await start();
}

export const url = () => {
  must(service, 'the service is not there');
  return service.url;
};

/** @param {string} target @param {unknown} [body] */
export const call = async (target, body) => callService(`${url()}${target}`, body);

/** The record of a job once it has ended. @param {string} id */
export const endOf = async (id) => endOfJob(url(), id);

/**
 * Runs a job, shows its log as it comes, and gives its record when it has ended.
 * @param {JobBody} body
 */
export async function runJob(body) {
  const { id } = await call('/jobs', body);
  let line = '';
  await followLog(url(), id, (piece) => {
    const lines = (line + piece).split('\n');
    line = lines.pop() ?? '';
    for (const whole of lines) say(`    ${body.action} | ${whole}`);
  });
  if (line !== '') say(`    ${body.action} | ${line}`);
  return endOf(id);
}

/** Runs a job that must succeed. @param {JobBody} body */
export async function succeed(body) {
  const job = await runJob(body);
  must(job.state === 'success', `${body.action} is ${job.state}: ${job.error}`);
  done(`${body.action} succeeded`);
  return job;
}

/**
 * Starts an `up`, and comes back with its id when it is half done.
 * @param {Record<string, unknown>} body
 */
export async function halfUp(body = {}) {
  const { id } = await call('/jobs', { workdir, action: 'up', topologyPath, ...body });
  let state = 'running';
  let error = '';
  await tries(
    'the first container is there',
    async () => {
      ({ state, error } = await call(`/jobs/${id}`));
      return !['queued', 'running'].includes(state) || (await labContainers()).length > 0;
    },
    600,
  );
  must(['queued', 'running'].includes(state), `up is ${state}: ${error}`);
  say(`  ${id} has started its first container`);
  return /** @type {string} */ (id);
}

/** Leaves the machine as it was, whatever happened. */
export async function cleanUp() {
  if (lastDown !== undefined && service !== undefined) {
    say('  cleaning up the lab');
    const { jobs } = await call('/jobs?state=queued,running,canceling').catch(() => ({ jobs: [] }));
    for (const { id } of jobs) await call(`/jobs/${id}/cancel`, { force: true }).catch(() => undefined);
    await runJob(lastDown).catch(() => undefined);
  }
  await service?.end();
}
