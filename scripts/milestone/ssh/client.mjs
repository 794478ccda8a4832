/** The machine of a user: the files and programs of those who reach a lab over SSH. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { endWithScript } from '../../lib/end-child.mjs';
import { must } from '../../lib/words.mjs';
import { root } from '../stage.mjs';

/** The directory of the user, which the service never hears of. */
export const home = path.join(root, 'client');

/**
 * @typedef {object} LabOverSsh
 * @property {string} instance
 * @property {number} port
 * @property {string} knownHosts A file with the host key of the service.
 * @property {string} token
 * @property {string} key A file with a private key.
 * @property {string} url Of the API.
 */

/**
 * @typedef {object} Ended
 * @property {string} command
 * @property {number | null} code
 * @property {string} out
 * @property {string} said Its standard error.
 */

/**
 * Starts a program in `home`.
 * @param {string} file
 * @param {readonly string[]} words
 * @param {{ env?: Record<string, string>, input?: string }} [more] variables beside our own; standard input
 */
export function begin(file, words, { env = {}, input = '' } = {}) {
  const child = spawn(file, words, { cwd: home, env: { ...process.env, HOME: home, ...env } });
  endWithScript(child);
  let [out, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  /** @type {Promise<Ended>} */
  const ended = once(child, 'close').then(([code]) => ({
    command: [path.basename(file), ...words].join(' '),
    code,
    out,
    said,
  }));
  // Of a program that cannot be started, also where its end is not waited for.
  ended.catch(() => undefined);
  return { child, ended, out: () => out, said: () => said };
}

/** Runs a program to its end. @param {Parameters<typeof begin>} means */
export const run = async (...means) => begin(...means).ended;

/** The output of a program that has ended with this exit code. @param {number} wanted @param {Ended} ended */
export function ends(wanted, { command, code, out, said }) {
  must(code === wanted, `${command} ended with ${code}, not with ${wanted}:\n${out}${said}`);
  return out;
}
