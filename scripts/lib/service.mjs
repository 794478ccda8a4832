/** The built service as a process of its own, as scripts use it. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endChild, endWithScript } from './end-child.mjs';
import { must } from './words.mjs';

export const root = path.resolve(import.meta.dirname, '../..');
/** The `lab` program. */
export const program = path.join(root, 'dist', 'main.js');

/** Our environment without the settings of the user's own service. */
export const plainEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('LAB_API_')));

/**
 * @typedef {object} ServiceProcess
 * @property {import('node:child_process').ChildProcess} child
 * @property {Promise<string>} listening Its address, once it listens; rejects with its words when it ends before.
 * @property {() => string} said Its log so far: lines of JSON.
 * @property {(signal?: NodeJS.Signals) => Promise<void>} end Resolves when it is gone; SIGTERM unless told otherwise.
 */

/**
 * Starts a service, on 127.0.0.1 and a free port by default.
 * @param {{ env: NodeJS.ProcessEnv, isDetached?: boolean, file?: string, bind?: string, within?: readonly string[] }} means
 *   detached: in a session of its own, so that a Ctrl-C is for the script alone, which needs the service for tidying up; file:
 *   another build of the program; within: a program and its arguments that become the service, such as `ip netns exec NAME`
 * @returns {ServiceProcess}
 */
export function spawnService({ env, isDetached = false, file = program, bind = '127.0.0.1', within = [] }) {
  must(existsSync(file), `there is no ${file}; run "npm run build" first`);
  const [command, ...words] = [...within, process.execPath, file, 'api', '--bind', bind];
  const child = spawn(command, words, {
    env: { LAB_API_PORT: '0', ...env, LAB_API_LOG_FORMAT: 'json', LAB_API_LOG_LEVEL: 'info' },
    detached: isDetached,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithScript(child);
  let said = '';
  /** @type {Promise<string>} */
  const listening = new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
      const url = /"url":"([^"]+)"/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('close', () => reject(new Error(`the service ended: ${said.trim()}`)));
  });
  // A caller that ends it before it listens does not wait for that.
  listening.catch(() => undefined);
  return { child, listening, said: () => said, end: async (signal) => endChild(child, signal) };
}

/**
 * A service that listens.
 * @param {Parameters<typeof spawnService>[0]} means
 * @returns {Promise<ServiceProcess & { url: string }>}
 */
export async function startService(means, patienceSeconds = 30) {
  const service = spawnService(means);
  const timer = new AbortController();
  const tooLate = delay(patienceSeconds * 1000, undefined, { signal: timer.signal }).then(async () => {
    await service.end('SIGKILL');
    throw new Error(`the service does not start:\n${service.said()}`);
  });
  tooLate.catch(() => undefined);
  try {
    return { ...service, url: await Promise.race([service.listening, tooLate]) };
  } finally {
    timer.abort();
  }
}
