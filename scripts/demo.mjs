#!/usr/bin/env node
// Shows what lab-api does, on the bundled engine: starts the service on a free port, takes a lab of three routers and
// three hosts through up, status, ping, collect and down over HTTP, and leaves nothing behind.
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import Table from 'cli-table3';
import { freeInstance } from './lib/free-instance.mjs';
import { call, endOf, followLog } from './lib/http.mjs';
import { readOptions } from './lib/options.mjs';
import { program as lab, root, startService } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';
import { messageOf } from './lib/words.mjs';

readOptions({});

const temporary = temporaryDirectory('lab-api-demo');
const workdir = path.join(temporary, 'triangle');
/** @type {NodeJS.ProcessEnv} */
const environment = { ...process.env, LAB_HOME: path.join(temporary, 'home'), LAB_API_CLI: 'engine' };
for (const name of [
  'LAB_API_USER',
  'LAB_API_PASSWORD',
  'LAB_API_TLS_CERT',
  'LAB_API_TLS_KEY',
  'LAB_API_BASE_PATH',
]) {
  delete environment[name];
}
const instance = freeInstance();

const isTerminal = process.stdout.isTTY;
const title = (/** @type {string} */ text) =>
  console.log(isTerminal ? `\n\x1b[1m${text}\x1b[0m` : `\n${text}`);
const note = (/** @type {string} */ text) => console.log(isTerminal ? `\x1b[2m${text}\x1b[0m` : text);

/**
 * Submits a job, shows its log as it grows, and gives the job when it has ended.
 * @param {string} api
 * @param {{ action: string } & Record<string, unknown>} body
 */
async function runJob(api, body) {
  title(`POST /jobs ${JSON.stringify({ ...body, workdir: 'triangle' })}`);
  const { id } = await call(`${api}/jobs`, body);
  await followLog(api, id, (piece) => void process.stdout.write(piece));
  const ended = await endOf(api, id);
  note(`${ended.id}: ${ended.state}`);
  return ended;
}

function ping() {
  title('lab exec h1 ping -c 3 h2');
  if (spawnSync('ping', ['-V']).error)
    return note('ping is not installed on this machine; the lab is up all the same');
  const { status } = spawnSync(process.execPath, [lab, 'exec', 'h1', 'ping', '-c', '3', 'h2'], {
    cwd: workdir,
    env: environment,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('h1 does not reach h2');
}

/** @param {string} api */
async function showStatus(api) {
  title(`GET /status/${instance}`);
  const { nodes } = await call(`${api}/status/${instance}`);
  const style = { head: [], border: [], compact: true };
  const table = new Table({ head: ['node', 'device', 'address', 'namespace', 'status'], style });
  for (const [name, { device, mgmt, provider_name: namespace, status }] of Object.entries(nodes)) {
    table.push([name, device, mgmt, namespace, status]);
  }
  console.log(table.toString());
}

/** What there is without privileges: the plan of the lab. @param {string} api */
async function showWithoutPrivileges(api) {
  title('This machine does not let an ordinary user make network namespaces. What there is without them:');
  const created = await runJob(api, { action: 'create', workdir, multilabId: instance });
  if (created.state !== 'success') throw new Error(created.error);
  title('GET /status');
  console.log(JSON.stringify(await call(`${api}/status`)));
}

/** @param {string} api */
async function demonstrate(api) {
  cpSync(path.join(root, 'examples', 'triangle'), workdir, { recursive: true });
  const up = await runJob(api, { action: 'up', workdir, multilabId: instance });
  if (up.state !== 'success') {
    if (process.getuid?.() === 0 && !/privilege|CAP_|permitted/i.test(up.error)) throw new Error(up.error);
    return showWithoutPrivileges(api);
  }
  await showStatus(api);
  ping();
  for (const body of [
    { action: 'collect', workdir },
    { action: 'down', workdir, cleanup: true },
  ]) {
    const job = await runJob(api, body);
    if (job.state !== 'success') throw new Error(job.error);
  }
}

/** @type {Awaited<ReturnType<typeof startService>> | undefined} */
let service;
/** The lab must not outlive the demonstration, however that ends. */
async function cleanUp() {
  spawnSync(process.execPath, [lab, 'down', '--cleanup', '--force'], { cwd: workdir, env: environment });
  await service?.end();
}

process.once('SIGINT', () => void cleanUp().then(() => process.exit(130)));
try {
  service = await startService({
    env: { ...environment, LAB_API_PORT: '0', LAB_API_DATA_DIR: path.join(temporary, 'data') },
  });
  note(`lab-api listens on ${service.url}`);
  await demonstrate(service.url);
  await cleanUp();
  title('That was it. Next:');
  console.log(`  node dist/main.js api                    the service, on http://127.0.0.1:8090
  node dist/main.js up examples/triangle   a lab on this terminal; "down" stops it
  docs/api.md                              every endpoint and field`);
} catch (error) {
  await cleanUp();
  console.error(`demo: ${messageOf(error)}`);
  process.exitCode = 1;
}
