#!/usr/bin/env node
// Shows what lab-api does, on the bundled engine: starts the service on a free port, takes a lab of three routers and
// three hosts through up, status, ping, collect and down over HTTP, and leaves nothing behind.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import { readOptions } from './lib/options.mjs';

readOptions({});

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const lab = path.join(root, 'dist', 'main.js');
const temporary = mkdtempSync(path.join(os.tmpdir(), 'lab-api-demo-'));
const workdir = path.join(temporary, 'triangle');
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

/** Names of the machine that stand for its labs: namespaces, and the claims of whoever runs the bundled engine. */
const namesIn = (directory) => (existsSync(directory) ? readdirSync(directory) : []);

/** A lab instance that nobody on this machine has: a lab of somebody's own is the usual reason to have lab-api here. */
function freeInstance() {
  const taken = [...namesIn('/run/lab-engine'), ...namesIn('/run/netns')];
  const isFree = (id) => !taken.some((name) => name === String(id) || name.startsWith(`lab-${id}-`));
  const free = Array.from({ length: 200 }, (_, index) => index + 1).filter(isFree);
  // Any of them: two demonstrations that start together would take the same first one.
  return free[Math.floor(Math.random() * free.length)] ?? 1;
}

const instance = freeInstance();

const isTerminal = process.stdout.isTTY;
const title = (text) => console.log(isTerminal ? `\n\x1b[1m${text}\x1b[0m` : `\n${text}`);
const note = (text) => console.log(isTerminal ? `\x1b[2m${text}\x1b[0m` : text);

/** Starts the service; resolves with its URL once it listens. */
async function startService() {
  const options = ['api', '--bind', '127.0.0.1', '--port', '0', '--data-dir', path.join(temporary, 'data')];
  const child = spawn(process.execPath, [lab, ...options], {
    env: { ...environment, LAB_API_LOG_FORMAT: 'json', LAB_API_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  const url = await new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = /"url":"([^"]+)"/.exec(said);
      if (found) resolve(found[1]);
    });
    child.once('exit', () => reject(new Error(`the service did not start: ${said.trim()}`)));
  });
  return { child, url };
}

async function request(url, options) {
  const reply = await fetch(url, options);
  const body = await reply.json();
  if (!reply.ok) throw new Error(body.error);
  return body;
}

/** Submits a job, shows its log as it grows, and gives the job when it has ended. */
async function runJob(api, body) {
  title(`POST /jobs ${JSON.stringify({ ...body, workdir: 'triangle' })}`);
  const job = await request(`${api}/jobs`, { method: 'POST', body: JSON.stringify(body) });
  const log = await fetch(`${api}/jobs/${job.id}/log?follow=true`);
  for await (const chunk of log.body) process.stdout.write(chunk);
  const ended = await request(`${api}/jobs/${job.id}`);
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

async function showStatus(api) {
  title(`GET /status/${instance}`);
  const { nodes } = await request(`${api}/status/${instance}`);
  const style = { head: [], border: [], compact: true };
  const table = new Table({ head: ['node', 'device', 'address', 'namespace', 'status'], style });
  for (const [name, { device, mgmt, provider_name: namespace, status }] of Object.entries(nodes)) {
    table.push([name, device, mgmt, namespace, status]);
  }
  console.log(table.toString());
}

/** What there is without privileges: the plan of the lab. */
async function showWithoutPrivileges(api) {
  title('This machine does not let an ordinary user make network namespaces. What there is without them:');
  const created = await runJob(api, { action: 'create', workdir, multilabId: instance });
  if (created.state !== 'success') throw new Error(created.error);
  title('GET /status');
  console.log(JSON.stringify(await request(`${api}/status`)));
}

async function demonstrate(api) {
  cpSync(path.join(root, 'examples', 'triangle'), workdir, { recursive: true });
  const up = await runJob(api, { action: 'up', workdir, multilabId: instance });
  if (up.state !== 'success') {
    if (process.getuid() === 0 && !/privilege|CAP_|permitted/i.test(up.error)) throw new Error(up.error);
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

let service;
/** The lab must not outlive the demonstration, however that ends. */
async function cleanUp() {
  spawnSync(process.execPath, [lab, 'down', '--cleanup', '--force'], { cwd: workdir, env: environment });
  if (service && service.child.exitCode === null) {
    const gone = new Promise((resolve) => service.child.once('exit', resolve));
    service.child.kill('SIGTERM');
    await gone;
  }
  rmSync(temporary, { recursive: true, force: true });
}

process.once('SIGINT', () => void cleanUp().then(() => process.exit(130)));
try {
  service = await startService();
  note(`lab-api listens on ${service.url}`);
  await demonstrate(service.url);
  await cleanUp();
  title('That was it. Next:');
  console.log(`  node dist/main.js api                    the service, on http://127.0.0.1:8090
  node dist/main.js up examples/triangle   a lab on this terminal; "down" stops it
  docs/api.md                              every endpoint and field`);
} catch (error) {
  await cleanUp();
  console.error(`demo: ${error.message}`);
  process.exitCode = 1;
}
