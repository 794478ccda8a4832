/** The questions of the script, and the interface of the two servers. */
import { spawnSync } from 'node:child_process';
import { putLoad } from '../lib/load.mjs';

/**
 * @typedef {object} Lab
 * @property {string} name
 * @property {string} image
 *
 * @typedef {object} Side One server. An answer is a cell of the table, and does not take the lab down.
 * @property {string} word a name for its labs and files
 * @property {() => Promise<string>} start resolves with the head of its column
 * @property {() => Promise<void>} end
 * @property {(question: keyof typeof questions, lab: Lab) => Promise<string>} answer
 */

export const questions = {
  killed: '`kill -9` of the server in the middle of a deploy, and a new start',
  clientGone: 'the client goes away in the middle of a deploy',
  twice: 'two deploys of one lab at once',
  broken: 'a topology that containerlab refuses',
  list: 'the list, with this lab up',
};

/** A sentence of a server as it fits into a cell, without the name of this run's lab. @param {unknown} text */
export function quoted(text) {
  const plain = String(text)
    // eslint-disable-next-line no-control-regex -- colours of a terminal
    .replaceAll(/\u001b\[[\d;]*m/g, '')
    .replaceAll(/[\s|`]+/g, ' ')
    .replaceAll(/\bcmp-\w+-\w+-\d+/g, 'LAB')
    .trim();
  // Of much, the cause stands at the end.
  return `“${plain.length > 200 ? `… ${plain.slice(-130).replace(/^\S*\s+/, '')}` : plain}”`;
}

/** The version of containerlab. @param {NodeJS.ProcessEnv} env whose PATH has it */
export function containerlabVersion(env) {
  const { stdout } = spawnSync('containerlab', ['version'], { encoding: 'utf8', env });
  return /version:\s*(\S+)/.exec(stdout)?.[1] ?? 'unknown';
}

/**
 * How often a second four clients get a list.
 * @param {string} url
 * @param {Record<string, string>} headers
 */
export async function rateOf(url, headers) {
  const { perSecond } = await putLoad({ url, headers, connections: 4, seconds: 4, atMost: 4000 });
  return perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond));
}
