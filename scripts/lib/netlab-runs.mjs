/** netlab in directories of a script, with labs in namespaces or in containers. It has the defaults of the user, and knows no other labs. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const standIns = path.resolve(import.meta.dirname, '..', '..', 'dist', 'engine', 'runtime');

/**
 * The environment of a netlab with a home directory of its own, and labs in namespaces or in containers.
 * @param {string} root a directory for its state
 * @param {string} runtime
 */
export function netlabEnvironment(root, runtime) {
  const home = path.join(root, 'netlab-home');
  mkdirSync(home, { recursive: true });
  const defaults = path.join(os.homedir(), '.netlab.yml');
  if (existsSync(defaults)) cpSync(defaults, path.join(home, '.netlab.yml'));
  return {
    ...(runtime === 'namespaces' && { PATH: `${standIns}:${process.env['PATH']}` }),
    HOME: home,
    LAB_HOME: path.join(root, 'labs'),
    LAB_NODE: process.execPath,
    LAB_RUNTIME: runtime,
  };
}

/** @param {string} root a directory for its state */
export function netlabRuns(root) {
  /**
   * Runs netlab; `code` is null after a signal.
   * @param {string} directory of the topology
   * @param {string} runtime namespaces or containers
   * @param {readonly string[]} args
   * @param {number} limitMs
   */
  return async (directory, runtime, args, limitMs) => {
    const env = { ...process.env, ...netlabEnvironment(root, runtime) };
    const child = spawn('netlab', args, {
      cwd: directory,
      env,
      timeout: limitMs,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (/** @type {Buffer} */ data) => (printed += data));
    const began = performance.now();
    /** @type {number | null} */
    const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
    return { code, printed, seconds: (performance.now() - began) / 1000 };
  };
}
