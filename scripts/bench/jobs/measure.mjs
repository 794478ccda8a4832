/** The service, the jobs and the figures that the parts of bench jobs share. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, endOf, followLog } from '../../lib/http.mjs';
import { tries } from '../../lib/wait.mjs';
import { root, showTable, start, target } from '../kit.mjs';

/** @typedef {{ jobs: number, runs: number, records: number }} Amounts */
/** @typedef {{ action: string, workdir: string }} JobBody */

/** @type {{ what: string, value: string, limit: string | undefined, isMet: boolean }[]} */
const notes = [];

/** @param {number} value */
export const milliseconds = (value) => `${value < 100 ? value.toFixed(1) : value.toFixed(0)} ms`;
/** @param {number} value */
export const ratio = (value) => value.toFixed(3);

/**
 * Notes a figure; without a limit it has no target.
 * @param {string} what
 * @param {number} value
 * @param {number | undefined} limit
 * @param {(value: number) => string} format
 */
export function note(what, value, limit, format) {
  const isMet = limit === undefined || value <= limit;
  notes.push({ what, value: format(value), limit: limit === undefined ? undefined : format(limit), isMet });
}

export function showNotes() {
  showTable(
    ['', 'measured'],
    notes.map(({ what, value }) => [what, value]),
  );
  for (const { what, value, limit, isMet } of notes)
    if (limit !== undefined) target(`${what}: ${value} (at most ${limit})`, isMet);
}

/**
 * Starts a service; `readyMs` from there to the first 200 of /readyz.
 * @param {string} dataDir
 * @param {NodeJS.ProcessEnv} [variables]
 */
export async function startReady(dataDir, variables = {}) {
  const began = performance.now();
  const service = await start({
    LAB_API_DATA_DIR: dataDir,
    LAB_API_KEEP_JOBS: '10000000',
    LAB_API_KEEP_DAYS: '36500',
    ...variables,
  });
  await tries('/readyz answers 200', async () => (await fetch(`${service.url}/readyz`)).ok, 600);
  return { ...service, readyMs: performance.now() - began };
}

/** A job from its submission to its end, which is where the log that is followed ends. @param {string} url @param {JobBody} body */
export async function runJob(url, body) {
  const { id } = await call(`${url}/jobs`, body);
  await followLog(url, id);
  const job = await endOf(url, id);
  if (job.state !== 'success') throw new Error(`${body.action} is ${job.state}: ${job.error}`);
  return job;
}

/** The same without the service: output into a file as well. @param {readonly string[]} command @param {string} cwd */
export async function runDirectly([file = '', ...args], cwd) {
  const log = openSync(path.join(cwd, 'direct.log'), 'w');
  const child = spawn(file, args, { cwd, stdio: ['ignore', log, log] });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  closeSync(log);
  if (code !== 0)
    throw new Error(`${file} ended with ${code}: ${readFileSync(path.join(cwd, 'direct.log'), 'utf8')}`);
}

/** For netlab and for the bundled engine. */
const topology =
  'provider: clab\ndefaults.device: linux\nnodes: [h1, h2, h3]\nlinks: [h1-h2, h2-h3, h3-h1]\n';

let workdirCount = 0;
export function makeWorkdir() {
  const workdir = path.join(root, `lab-${(workdirCount += 1)}`);
  mkdirSync(workdir);
  writeFileSync(path.join(workdir, 'topology.yml'), topology);
  return workdir;
}
