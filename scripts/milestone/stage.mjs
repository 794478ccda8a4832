/** The service of a milestone, its jobs and the directory of its lab. */
import { mkdirSync, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { call as callService, endOf as endOfJob, followLog } from '../lib/http.mjs';
import { done, must, say } from '../lib/words.mjs';
import { plainEnvironment, root as repository, startService } from '../lib/service.mjs';
import { temporaryDirectory } from '../lib/temporary-directory.mjs';
import { tries } from '../lib/wait.mjs';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { jobProcesses } from '../lib/job-processes.mjs';

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

/** @type {Record<string, string>} */
let settings = {};

/** Settings of every service to come, and the variables of our own commands. @param {Record<string, string>} given */
export function prepare(given) {
  settings = given;
  Object.assign(process.env, given);
}

/** With these, netlab and our own commands find the engine's `docker`, and labs run in namespaces. */
export const inNamespaces = () => ({
  LAB_API_CLI: 'netlab',
  LAB_API_RUNTIME: 'namespaces',
  LAB_RUNTIME: 'namespaces',
  LAB_HOME: path.join(root, 'labs'),
  PATH: `${path.join(repository, 'dist', 'engine', 'runtime')}:${process.env['PATH']}`,
});

/** Starts the service, on the same data directory each time. */
export async function start() {
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

/** Of all requests. @type {Record<string, string>} */
let headers = {};

/** From now on, requests are those of a user. @param {string} token */
export const logIn = (token) => (headers = { Authorization: `Bearer ${token}` });

/** @param {string} target @param {unknown} [body] */
export const call = async (target, body) => callService(`${url()}${target}`, body, headers);

/** The record of a job once it has ended. @param {string} id */
export const endOf = async (id) => endOfJob(url(), id, headers);

/**
 * Runs a job, shows its log as it comes, and gives its record when it has ended.
 * @param {JobBody} body
 */
export async function runJob(body) {
  const { id } = await call('/jobs', body);
  let line = '';
  const show = (/** @type {string} */ piece) => {
    const lines = (line + piece).split('\n');
    line = lines.pop() ?? '';
    for (const whole of lines) say(`    ${body.action} | ${whole}`);
  };
  await followLog(url(), id, show, headers);
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

/** Takes down what the script has started, at its end. */
let takeDownAll = async () => {};

/** For a script that has many labs. @param {() => Promise<void>} task */
export const atTheEnd = (task) => (takeDownAll = task);

/** Leaves the machine as it was, whatever happened. */
export async function cleanUp() {
  await takeDownAll().catch(() => undefined);
  if (lastDown !== undefined && service !== undefined) {
    say('  cleaning up the lab');
    const { jobs } = await call('/jobs?state=queued,running,canceling').catch(() => ({ jobs: [] }));
    for (const { id } of jobs) await call(`/jobs/${id}/cancel`, { force: true }).catch(() => undefined);
    await runJob(lastDown).catch(() => undefined);
  }
  await service?.end();
}

const execute = promisify(execFile);
const pingSeconds = 90;

/** The output of a command of Docker. @param {...string} args */
async function docker(...args) {
  return (await execute('docker', args)).stdout;
}

/** Names of the containers of examples/ospf. */
async function labContainers() {
  const stdout = await docker('ps', '--all', '--format', '{{.Names}}', '--filter', 'name=^clab-ospf-');
  return stdout.split('\n').filter((name) => name !== '');
}

/** The names of examples/ospf in a directory of the runtime of namespaces. @param {string} directory */
const namesIn = (directory) =>
  existsSync(directory) ? readdirSync(directory).filter((name) => /^clab[-.]ospf\b/.test(name)) : [];

/** h1 reaches h2 through both routers. */
export async function ping() {
  const show = "ip -4 -o addr show dev eth1 | awk '{print $4}' | cut -d/ -f1";
  const address = (await docker('exec', 'clab-ospf-h2', 'sh', '-c', show)).trim();
  must(/^[\d.]+$/.test(address), `h2 has no address on eth1: "${address}"`);
  say(`  h1 pings h2 (${address}) once OSPF has converged`);
  const once = ['ping', '-c', '1', '-W', '1', address];
  await tries('h1 reaches h2', async () => docker('exec', 'clab-ospf-h1', ...once), pingSeconds);
  done('h1 reaches h2 through both routers');
}

/** No process is left that carries the id of a job of ours. */
export function checkNoProcess() {
  const jobs = readdirSync(path.join(dataDir, 'jobs'));
  const processes = jobProcesses((id) => jobs.includes(id)).map(({ pid }) => pid);
  must(processes.length === 0, `processes are left: ${processes.join(', ')}`);
}

export async function checkNothingIsLeft() {
  const containers = [...(await labContainers()), ...namesIn('/run/netns'), ...namesIn('/run/lab-engine')];
  must(containers.length === 0, `containers are left: ${containers.join(', ')}`);
  must(!existsSync(path.join(workdir, 'netlab.lock')), 'netlab.lock is left');
  checkNoProcess();
  const status = await fetch(`${url()}/status/default`);
  must(status.status === 404, `GET /status/default is ${status.status} after down`);
  done('nothing is left: no container, no lock, no process, no instance');
}
