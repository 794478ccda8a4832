// The jobs of a run: each notes on which host it was started, and when another one is in its directory.
import path from 'node:path';
import { some } from '../../lib/random.mjs';
import { kinds, logOf, topologyOf } from '../kinds.mjs';

/** @typedef {import('../../lib/random.mjs').Random} Random */
/** @typedef {{ task: Task, body: Record<string, unknown> }} Wanted */
/**
 * A submitted job: the exit codes and logs with which it may end, unless it is canceled before.
 * @typedef {object} Task
 * @property {string} kind
 * @property {readonly { exit: number, log: string, starts: number }[]} ends those that are right
 */

/** The output of the fake lab CLI itself. */
const isUp = 'Created provider configuration file: clab.yml\nLab is ready\n';
const wasUp = 'Fatal error in netlab up: netlab.lock file is there already, the lab is running\n';
const isDown = 'Removed container name=clab-demo-h1\n';
const wasDown = 'Fatal error in netlab down: no lab is running here\n';

/** The kinds that run on any host. */
const names = /** @type {const} */ (['short', 'long', 'failing', 'verbose']);

/** One that any host may take, or the one that is asked for. @param {Random} random @returns {Wanted} */
function anywhere(random) {
  const kind = some(random, names);
  const { [kind]: what } = kinds;
  const where = some(random, [
    {},
    {},
    {},
    { hostLabels: ['big'] },
    { hostLabels: ['kvm', 'big'] },
    { host: some(random, ['one', 'two', 'three']) },
  ]);
  return {
    task: { kind, ends: [{ exit: what.exit, log: logOf(what), starts: 1 }] },
    body: { action: 'up', workspace: 'auto', topology: topologyOf(what), ...where },
  };
}

/** A real lab in a directory that all hosts have: it is there already, or it gets up. @param {string} workdir @returns {Wanted} */
function upIn(workdir) {
  const script = ['echo one', 'sleep 0.3', 'echo two'];
  const ends = [
    { exit: 0, log: `one\ntwo\n${isUp}`, starts: 1 },
    { exit: 1, log: wasUp, starts: 0 },
  ];
  return {
    task: { kind: 'up in a directory', ends },
    body: { action: 'up', workdir, multilabId: 'auto', topology: topologyOf({ script }) },
  };
}

/** @param {string} workdir @param {boolean} cleanup @returns {Wanted} */
function downIn(workdir, cleanup) {
  const ends = [
    { exit: 0, log: isDown, starts: 0 },
    { exit: 1, log: wasDown, starts: 0 },
  ];
  return {
    task: { kind: cleanup ? 'down --cleanup' : 'down', ends },
    body: { action: 'down', workdir, ...(cleanup ? { cleanup } : {}) },
  };
}

/** @param {Random} random @param {readonly string[]} directories that all hosts have @returns {Wanted} */
export function makeRequest(random, directories) {
  const workdir = some(random, directories);
  const dice = random();
  if (dice < 0.6) return anywhere(random);
  if (dice < 0.82) return upIn(workdir);
  return downIn(workdir, dice > 0.94);
}

/** @param {string} directory @param {number} count */
export const sharedDirectories = (directory, count) =>
  Array.from({ length: count }, (_, index) => path.join(directory, `shared-${index}`));
