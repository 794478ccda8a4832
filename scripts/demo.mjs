#!/usr/bin/env node
// Shows what lab-api does, on the bundled engine: starts the service on a free port, takes a lab of three routers and
// three hosts through up, status, packets, collect and down over HTTP, and leaves nothing behind.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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

/**
 * A Node program inside a node of the lab.
 * @param {string} node
 * @param {readonly string[]} args
 */
const nodeIn = (node, args) =>
  spawn(process.execPath, [lab, 'exec', node, process.execPath, ...args], {
    cwd: workdir,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** h1 and h2 have two routers between them. Node itself sends and answers: a bare machine has no `ping`. */
async function sendPackets() {
  const packets = path.join(import.meta.dirname, 'demo', 'packets.mjs');
  title('lab exec h1 node packets.mjs ask h2     (in h2: packets.mjs serve)');
  const server = nodeIn('h2', [packets, 'serve']);
  const ended = once(server, 'close');
  try {
    // The first thing that it says is that it listens; without a word, the question below says what is wrong.
    await Promise.race([once(server.stdout, 'data'), ended]);
    const client = nodeIn('h1', [packets, 'ask', 'h2']);
    client.stdout.on('data', (text) => process.stdout.write(text));
    const [status] = await once(client, 'close');
    if (status !== 0) throw new Error('h1 does not reach h2');
  } finally {
    server.kill();
    await ended;
  }
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
  await sendPackets();
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
