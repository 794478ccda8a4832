#!/usr/bin/env node
// Tests the built service, with the bundled engine, against its own description of the API: schemathesis (https://schemathesis.io,
// from PyPI, on PATH) sends requests that the description allows and forbids, follows its links from reply to reply, and checks
// every reply. All checks, all phases.
//   scripts/schemathesis.mjs [--examples N] [--seed N]
// --examples: the most generated requests for each operation, and the most walks; 200 (the default) take about two minutes.
// Exit code 1 when a check fails.
// The requests start and stop labs and remove files. The script therefore runs in namespaces of its own (unshare(1)), where only
// a temporary directory can be written: on Linux, as root or where users may make namespaces.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { confine, isConfined } from './lib/confine.mjs';
import { failed, must } from './lib/words.mjs';
import { readOptions } from './lib/options.mjs';
import { plainEnvironment, root, startService } from './lib/service.mjs';
import { temporaryDirectory } from './lib/temporary-directory.mjs';

const options = readOptions({
  examples: { type: 'string', default: '200' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
});
if (!isConfined())
  process.exit(await confine(temporaryDirectory('lab-api-schemathesis'), { hasOwnNetwork: true }));

// It is removed when all processes in here have ended: jobs go on without their service, and write to it.
const temporary = os.tmpdir();
const inside = (/** @type {string} */ name) => path.join(temporary, name);
const labs = inside('labs');
const settings = path.join(root, 'tests/fixtures/schemathesis');
const [user, password] = ['ops', 'a password'];

async function startServiceInside() {
  for (const name of ['home', 'labs']) mkdirSync(inside(name));
  // The lab of the examples in the document is a small one here, so that many jobs come to their end.
  for (const name of ['hosts', 'triangle', 'kept'])
    cpSync(path.join(root, 'examples/two-hosts'), path.join(labs, name), { recursive: true });
  // Where the jobs run whose requests name no directory.
  process.chdir(path.join(labs, 'hosts'));
  return startService({
    env: {
      ...plainEnvironment(),
      HOME: inside('home'),
      LAB_HOME: inside('home'),
      LAB_API_CLI: 'engine',
      LAB_API_USER: user,
      LAB_API_PASSWORD: password,
      // hooks.py says of each request that it comes from another address.
      LAB_API_TRUSTED_PROXIES: '127.0.0.1',
      LAB_API_PROXY_USER_HEADER: 'X-Remote-User',
      LAB_API_DATA_DIR: inside('data'),
      LAB_API_AUDIT_FILE: inside('audit.jsonl'),
      LAB_API_ROOTS: labs,
      LAB_API_CANCEL_GRACE: '300ms',
      LAB_API_MIN_FREE_DISK: '1MiB',
      // There is no way to any other one from here, and a fetch that fails is a 502.
      LAB_API_TOPOLOGY_HOSTS: 'topologies.invalid',
      // A request that follows a job waits for the jobs before it. A full queue is checked last, after all errors of a request.
      LAB_API_MAX_QUEUED_JOBS: '20',
    },
  });
}

/** @param {string} target @param {RequestInit} [how] */
async function ask(target, how) {
  const Authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const reply = await fetch(target, { ...how, headers: { Authorization } });
  const text = await reply.text();
  must(reply.ok, `${target}: ${reply.status} ${text}`);
  return text;
}

/** A lab whose status can be asked for: schemathesis.toml has its instance. @param {string} url */
async function startLab(url) {
  const body = JSON.stringify({ action: 'up', workdir: path.join(labs, 'kept'), multilabId: 150 });
  const { id } = JSON.parse(await ask(`${url}/jobs`, { method: 'POST', body }));
  const { state, error } = JSON.parse(await ask(`${url}/jobs/${id}?wait=60`));
  must(state === 'success', `no lab could be started: ${error}`);
}

/** The description as the service gives it, with its examples in a directory that is there. @param {string} url */
async function fetchDocument(url) {
  return (await ask(`${url}/openapi.json`)).replaceAll('"/labs/', `"${labs}/`);
}

/** Runs schemathesis on the description in `file`; whether it found nothing. @param {string} url @param {string} file */
async function findsNothing(url, file) {
  const args = ['--config-file', path.join(settings, 'schemathesis.toml'), '--no-color', 'run', file];
  args.push('--url', url, '--auth', `${user}:${password}`);
  // How well it makes up requests, and how fast, is up to its dice and to the machine: nothing is wrong with the service.
  args.push('--suppress-health-check', 'all');
  args.push('--max-examples', options.examples, '--seed', options.seed);
  const env = { ...process.env, SCHEMATHESIS_HOOKS: path.join(settings, 'hooks.py') };
  const [code] = await once(spawn('schemathesis', args, { cwd: temporary, env, stdio: 'inherit' }), 'close');
  return code === 0;
}

const service = await startServiceInside();
try {
  await startLab(service.url);
  const file = inside('openapi.json');
  writeFileSync(file, await fetchDocument(service.url));
  if (!(await findsNothing(service.url, file))) process.exitCode = 1;
} catch (error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error);
  failed(code === 'ENOENT' ? 'there is no schemathesis on PATH; "pip install schemathesis" gets it' : error);
  process.exitCode = 1;
} finally {
  await service.end();
}
