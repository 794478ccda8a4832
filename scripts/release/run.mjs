import { execFileSync } from 'node:child_process';

/**
 * The standard output of a program, whose standard error is ours.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').ExecFileSyncOptions} [options]
 * @throws Error when it fails
 */
export function run(program, args, options = {}) {
  return execFileSync(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
    ...options,
    encoding: 'utf8',
  });
}
