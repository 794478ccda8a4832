/** The part of the demo that needs netlab and FRR: examples/ospf in namespaces. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/service.mjs';

const standIns = path.join(root, 'dist', 'engine', 'runtime');
const isOnPath = (/** @type {string} */ program) =>
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .some((directory) => existsSync(path.join(directory, program)));

const removal = ['down', '--cleanup', '--force'];

export const canRoute = isOnPath('netlab') && existsSync('/usr/lib/frr/frrinit.sh');

export class RoutedLab {
  directory;
  /** The variables by which netlab finds the lab, beside PATH. @type {Record<string, string>} */
  #variables;

  /** @param {string} temporary netlab keeps its list of labs there @param {string} labHome */
  constructor(temporary, labHome) {
    this.directory = path.join(temporary, 'ospf');
    this.#variables = {
      HOME: temporary,
      LAB_HOME: labHome,
      LAB_RUNTIME: 'namespaces',
      LAB_NODE: process.execPath,
    };
  }

  /** For a service that has netlab beside the engine. */
  get settings() {
    const { HOME } = this.#variables;
    return { HOME, LAB_API_CLI: '', LAB_API_CLIS: 'engine,netlab', LAB_API_RUNTIME: 'namespaces' };
  }

  /** Copies the example, with a name that no lab of the user has: namespaces are called after it. */
  copy() {
    cpSync(path.join(root, 'examples', 'ospf'), this.directory, { recursive: true });
    const file = path.join(this.directory, 'topology.yml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^name: .*/m, `name: demo${process.pid}`));
  }

  /** Whether netlab has begun to start the lab, and not removed it. */
  get mayBeUp() {
    return existsSync(path.join(this.directory, 'clab.yml'));
  }

  /** The command that removes the lab, for a shell. */
  get removal() {
    const variables = Object.entries(this.#variables).map(([name, value]) => `${name}=${value}`);
    return `(cd ${this.directory} && ${variables.join(' ')} PATH=${standIns}:$PATH netlab ${removal.join(' ')})`;
  }

  async remove() {
    const env = { ...process.env, ...this.#variables, PATH: `${standIns}:${process.env['PATH']}` };
    // In a session of its own: a second Ctrl-C does not leave half of a lab.
    const down = spawn('netlab', removal, { cwd: this.directory, env, detached: true, stdio: 'ignore' });
    await once(down, 'close');
  }
}
