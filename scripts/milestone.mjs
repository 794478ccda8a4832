#!/usr/bin/env node
// Drives a real lab through the API, start to end, on a machine with netlab, containerlab and Docker:
//   npm run build && scripts/milestone.mjs            the whole round
//   npm run build && scripts/milestone.mjs --crash    the service killed in the middle of an up, and an up canceled half-way
// Starts the built service, brings the bundled topology up (two FRR routers, two hosts), follows its log, lets h1 ping
// h2, collects the configurations, takes the lab down and looks whether anything is left; then a broken topology.
// With --crash: the same job goes on after SIGKILL of the service and a new start; a canceled up leaves no process, and
// its lab goes with the next down, or with the one that onCancel asks for.
// Exit code 0 when every step worked. Ctrl-C cleans up. Needs Node 20 and nothing else.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, mkdir, realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readOptions } from './lib/options.mjs';

const options = readOptions({ crash: { type: 'boolean' } });

const repository = path.resolve(import.meta.dirname, '..');
const program = path.join(repository, 'dist', 'main.js');
const topologyPath = path.join(repository, 'examples', 'ospf', 'topology.yml');
const brokenTopology = 'provider: clab\ndefaults.device: frr\nnodes: [r1, r2]\nlinks: [r1-r2, r1-nosuch]\n';
const run = promisify(execFile);
const startSeconds = 30;
const pingSeconds = 90;

/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`);
/** @param {string} text */
const done = (text) => say(`\u2713 ${text}`);

/**
 * @param {unknown} condition
 * @param {string} text
 * @returns {asserts condition}
 */
function must(condition, text) {
  if (!condition) throw new Error(text);
}

const root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'lab-api-milestone-')));
const workdir = path.join(root, 'lab');
await mkdir(workdir);

/** @type {import('node:child_process').ChildProcess | undefined} */
let service;
let url = '';
let serviceLog = '';
let isUp = false;

/** Waits for the address that the service prints. */
async function startService() {
  must(existsSync(program), `there is no ${program}; run "npm run build" first`);
  const env = { ...process.env, LAB_API_DATA_DIR: path.join(root, 'data'), LAB_API_LOG_FORMAT: 'text' };
  // In a session of its own: a Ctrl-C is for this script, which needs the service for cleaning up.
  service = spawn(process.execPath, [program, 'api', '--port', '0', '--bind', '127.0.0.1'], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  service.stderr?.on('data', (chunk) => (serviceLog += String(chunk)));
  const deadline = Date.now() + startSeconds * 1000;
  while (url === '') {
    must(service.exitCode === null && Date.now() < deadline, `the service does not start:\n${serviceLog}`);
    await delay(50);
    url = /listening url=(\S+)/.exec(serviceLog)?.[1] ?? '';
  }
  say(`  the service listens on ${url}`);
}

/**
 * @param {string} target
 * @param {unknown} [body]
 */
async function call(target, body) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const reply = await fetch(`${url}${target}`, init);
  const document = await reply.json();
  must(reply.ok, `${target} answered ${reply.status}: ${document.error}`);
  return document;
}

/**
 * Starts a job, shows its log as it comes, and gives its record when it has ended.
 * @param {Record<string, unknown>} body
 */
async function job(body) {
  const { id } = await call('/jobs', { workdir, ...body });
  const log = await fetch(`${url}/jobs/${id}/log?follow=true`);
  const decoder = new TextDecoder();
  let text = '';
  let line = '';
  for await (const chunk of log.body ?? []) {
    const piece = decoder.decode(chunk, { stream: true });
    text += piece;
    const lines = (line + piece).split('\n');
    line = lines.pop() ?? '';
    for (const whole of lines) say(`    ${body.action} | ${whole}`);
  }
  if (line !== '') say(`    ${body.action} | ${line}`);
  // The log is complete just before the state is terminal.
  let record = await call(`/jobs/${id}`);
  for (let look = 0; !record.finishedAt && look < 100; look += 1) {
    await delay(50);
    record = await call(`/jobs/${id}`);
  }
  return { record, text };
}

/** @param {Record<string, unknown>} body */
async function succeed(body) {
  const { record } = await job(body);
  must(record.state === 'success', `${body.action} is ${record.state}: ${record.error}`);
  done(`${body.action} succeeded`);
}

/** @param {string} id */
async function endOf(id) {
  for (;;) {
    const record = await call(`/jobs/${id}?wait=60`);
    if (record.finishedAt) return record;
  }
}

/**
 * Starts an `up`, and comes back when it is half done.
 * @param {Record<string, unknown>} body
 */
async function halfUp(body = {}) {
  const { id } = await call('/jobs', { workdir, action: 'up', topologyPath, ...body });
  while ((await labContainers()).length === 0) {
    const { state, error } = await call(`/jobs/${id}`);
    must(['queued', 'running'].includes(state), `up is ${state}: ${error}`);
    await delay(50);
  }
  say(`  ${id} has started its first container`);
  return id;
}

async function labContainers() {
  const { stdout } = await run('docker', [
    'ps',
    '--all',
    '--format',
    '{{.Names}}',
    '--filter',
    'name=^clab-ospf-',
  ]);
  return stdout.split('\n').filter((name) => name !== '');
}

async function ping() {
  const { stdout } = await run('docker', [
    'exec',
    'clab-ospf-h2',
    'sh',
    '-c',
    "ip -4 -o addr show dev eth1 | awk '{print $4}' | cut -d/ -f1",
  ]);
  const address = stdout.trim();
  must(/^[\d.]+$/.test(address), `h2 has no address on eth1: "${address}"`);
  const deadline = Date.now() + pingSeconds * 1000;
  say(`  h1 pings h2 (${address}); OSPF takes up to 50 seconds`);
  for (;;) {
    const isAnswered = await run('docker', [
      'exec',
      'clab-ospf-h1',
      'ping',
      '-c',
      '1',
      '-W',
      '1',
      address,
    ]).then(
      () => true,
      () => false,
    );
    if (isAnswered) return done('h1 reaches h2 through both routers');
    must(Date.now() < deadline, `h1 cannot reach h2 within ${pingSeconds} seconds`);
    await delay(500);
  }
}

/** Processes that carry the id of a job which this script started. */
async function jobProcesses() {
  const jobs = await readdir(path.join(root, 'data', 'jobs')).catch(() => /** @type {string[]} */ ([]));
  const found = [];
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    const id = /(?:^|\0)LAB_JOB_ID=([^\0]+)/.exec(environment)?.[1];
    if (id !== undefined && jobs.includes(id)) found.push(pid);
  }
  return found;
}

async function checkNothingIsLeft() {
  const containers = await labContainers();
  must(containers.length === 0, `containers are left: ${containers.join(', ')}`);
  must(!existsSync(path.join(workdir, 'netlab.lock')), 'netlab.lock is left');
  const processes = await jobProcesses();
  must(processes.length === 0, `processes are left: ${processes.join(', ')}`);
  const status = await fetch(`${url}/status/default`);
  must(status.status === 404, `GET /status/default is ${status.status} after down`);
  done('nothing is left: no container, no lock, no process, no instance');
}

async function milestone() {
  await startService();
  const { checks } = await call('/readyz');
  done(`ready: ${checks.map((/** @type {{ name: string }} */ check) => check.name).join(', ')}`);
  must(
    !('default' in (await call('/status'))),
    'a lab instance "default" is there already; take it down first',
  );

  isUp = true;
  await succeed({ action: 'up', topologyPath });
  const { nodes } = await call('/status/default');
  const names = Object.keys(nodes ?? {}).toSorted();
  must(names.join() === 'h1,h2,r1,r2', `the status lists other nodes: ${names.join(', ')}`);
  done(`the status lists ${names.join(', ')}`);
  await ping();
  await succeed({ action: 'collect' });
  const collected = await readdir(path.join(workdir, 'config'));
  must(
    collected.some((name) => name.startsWith('r1')),
    `r1 was not collected: ${collected.join(', ')}`,
  );
  done(`collected ${collected.join(', ')}`);
  await succeed({ action: 'down', cleanup: true });
  isUp = false;
  await checkNothingIsLeft();

  const { record } = await job({ action: 'create', topology: brokenTopology });
  must(
    record.state === 'failed' && record.exitCode === 1,
    `a broken topology is ${record.state}, ${record.exitCode}`,
  );
  must(/unknown node nosuch/.test(record.error), `the error does not say why: ${record.error}`);
  done(`a broken topology fails with exit code 1: ${record.error}`);
}

/**
 * Kills the service and starts it again, at one random moment after the other, until the job has ended.
 * @param {string} id
 */
async function killUntilEnd(id) {
  // What has not begun when the service dies is not begun by the next one, and says so.
  while ((await call(`/jobs/${id}`)).logSize === 0) await delay(20);
  for (let kills = 0; ; kills += 1) {
    await delay(kills === 0 ? 0 : Math.random() * 600);
    const record = kills === 0 ? {} : await call(`/jobs/${id}`);
    if (record.finishedAt) {
      must(record.state === 'success' && record.exitCode === 0, `${id} is ${record.state}: ${record.error}`);
      done(`${record.action} is the same job after ${kills} times SIGKILL and a new start: ${record.state}`);
      return record;
    }
    const gone = new Promise((resolve) => service?.once('exit', resolve));
    service?.kill('SIGKILL');
    await gone;
    [url, serviceLog] = ['', ''];
    await startService();
  }
}

async function crash() {
  await startService();
  isUp = true;
  const id = await halfUp();
  const ended = await killUntilEnd(id);
  const { log } = await call(`/jobs/${id}/log`);
  must(/Created provider configuration/.test(log), `the log has no beginning:\n${log}`);
  must(/Lab devices configured|SUCCESS/.test(log.slice(-2000)), `the log has no end:\n${log}`);
  done(`its log is whole: ${ended.logSize} bytes`);
  await ping();
  await killUntilEnd((await call('/jobs', { workdir, action: 'down', cleanup: true })).id);
  await checkNothingIsLeft();

  const canceled = await endOf((await call(`/jobs/${await halfUp()}/cancel`, {})).id);
  must(canceled.state === 'canceled', `the canceled up is ${canceled.state}: ${canceled.error}`);
  must(/"down" with "cleanup"/.test(canceled.error), `the error does not say what to do: ${canceled.error}`);
  const processes = await jobProcesses();
  must(processes.length === 0, `processes are left: ${processes.join(', ')}`);
  done(`an up canceled half-way leaves no process: ${canceled.error}`);
  await succeed({ action: 'down', cleanup: true, force: true });
  await checkNothingIsLeft();

  const half = await halfUp({ onCancel: 'down' });
  await call(`/jobs/${half}/cancel`, {});
  const { cleanupJobId, error } = await endOf(half);
  must(cleanupJobId !== null, `no down follows: ${error}`);
  const cleanup = await endOf(cleanupJobId);
  must(cleanup.state === 'success', `the down that follows is ${cleanup.state}: ${cleanup.error}`);
  done(`with onCancel, a down follows by itself: ${error}`);
  isUp = false;
  await checkNothingIsLeft();
}

/** Leaves the machine as it was, whatever happened. */
async function cleanUp() {
  if (isUp && url !== '') {
    say('  cleaning up the lab');
    const { jobs } = await call('/jobs?state=queued,running,canceling').catch(() => ({ jobs: [] }));
    for (const { id } of jobs) await call(`/jobs/${id}/cancel`, { force: true }).catch(() => undefined);
    await job({ action: 'down', cleanup: true, force: true }).catch(() => undefined);
  }
  if (service && service.exitCode === null) {
    const gone = new Promise((resolve) => service?.once('exit', resolve));
    service.kill('SIGTERM');
    await gone;
  }
  await rm(root, { recursive: true, force: true });
}

/** @type {(reason: Error) => void} */
let interrupt = () => undefined;
const interrupted = new Promise((_resolve, reject) => (interrupt = reject));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => interrupt(new Error(`ended by ${signal}`)));
}

let exitCode = 0;
try {
  await Promise.race([options.crash ? crash() : milestone(), interrupted]);
  say('The milestone is reached.');
} catch (error) {
  exitCode = 1;
  say(`\u2717 ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await cleanUp();
}
process.exit(exitCode);
