// What Docker has of the labs of a run.
import { execFileSync } from 'node:child_process';

/** @param {readonly string[]} words */
const docker = (...words) =>
  execFileSync('docker', words, { encoding: 'utf8', timeout: 60_000 }).split('\n').filter(Boolean);

/**
 * @typedef {object} Left
 * @property {readonly { name: string, state: string }[]} containers
 * @property {boolean} network
 */

/** What there is of a lab now. @param {string} lab @returns {Left} */
export function leftOf(lab) {
  const format = '{{.Names}}\t{{.State}}';
  const rows = docker('ps', '--all', '--filter', `label=containerlab=${lab}`, '--format', format);
  const containers = rows.map((row) => {
    const [name = '', state = ''] = row.split('\t');
    return { name, state };
  });
  const networks = docker('network', 'ls', '--filter', `name=^${lab}$`, '--format', '{{.Name}}');
  return { containers, network: networks.length > 0 };
}

/** Removes what the service has left. @param {string} lab */
export function removeRest(lab) {
  const { containers, network } = leftOf(lab);
  if (containers.length > 0) docker('rm', '--force', '--volumes', ...containers.map(({ name }) => name));
  if (network) docker('network', 'rm', lab);
}
