// A network namespace for each machine of the run, joined by a bridge in a namespace of its own, so that neither the machine's
// firewall nor its other bridges have a part in it. Without root or `ip`, everything is on loopback and nothing can be cut.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { freePort } from '../../lib/free-port.mjs';

/**
 * @typedef {object} Network
 * @property {boolean} canCut
 * @property {(name: string) => { bind: string, port: number, within: readonly string[] }} place where a machine is
 * @property {(name: string) => void} cut nothing comes to the machine or from it any more
 * @property {(name: string) => void} mend
 * @property {(name: string, other: string) => void} cutBetween what `name` sends to `other` is lost
 * @property {(name: string, other: string) => void} mendBetween
 * @property {() => void} remove
 */

/** Begins the name of all that is made here; the id of this process follows. */
const prefix = 'labchaos';
/** An address of the range for benchmarks of networks (RFC 2544), which real networks do not use. */
const networkOf = (/** @type {number} */ pid) => `198.${18 + ((pid >> 8) % 2)}.${pid % 256}`;
/** In no machine. */
const nowhere = '02:00:00:00:00:01';

const ip = (/** @type {readonly string[]} */ ...words) => void execFileSync('ip', words, { stdio: 'pipe' });

const namespaces = () =>
  execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => name.startsWith(prefix));

/** A run that was killed could not tidy up. */
function removeLeftovers() {
  for (const name of namespaces()) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) ip('netns', 'delete', name);
  }
}

/** Why connections cannot be cut here; undefined when they can. */
function obstacle() {
  if (process.getuid?.() !== 0) return 'only root may make network namespaces';
  const { error, status } = spawnSync('ip', ['netns', 'list'], { stdio: 'ignore' });
  return error || status !== 0 ? 'there is no "ip" here' : undefined;
}

/** @param {readonly string[]} names @returns {Network} */
function makeNamespaces(names) {
  removeLeftovers();
  const net = networkOf(process.pid);
  const namespaceOf = (/** @type {string} */ name) => `${prefix}${process.pid}-${name}`;
  const addressOf = (/** @type {string} */ name) => `${net}.${names.indexOf(name) + 1}`;
  const hub = namespaceOf('hub');
  const remove = () => {
    for (const name of namespaces().filter((one) => one.startsWith(namespaceOf(''))))
      ip('netns', 'delete', name);
  };
  try {
    ip('netns', 'add', hub);
    ip('-n', hub, 'link', 'add', 'bridge', 'type', 'bridge');
    ip('-n', hub, 'link', 'set', 'bridge', 'up');
    for (const name of names) {
      const namespace = namespaceOf(name);
      ip('netns', 'add', namespace);
      ip('-n', hub, 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      ip('-n', hub, 'link', 'set', name, 'master', 'bridge', 'up');
      ip('-n', namespace, 'address', 'add', `${addressOf(name)}/24`, 'dev', 'eth0');
      for (const link of ['lo', 'eth0']) ip('-n', namespace, 'link', 'set', link, 'up');
    }
    // The clients are in this namespace.
    const own = `labch${process.pid}`;
    ip('link', 'add', own, 'type', 'veth', 'peer', 'name', 'clients', 'netns', hub);
    ip('-n', hub, 'link', 'set', 'clients', 'master', 'bridge', 'up');
    ip('address', 'add', `${net}.254/24`, 'dev', own);
    ip('link', 'set', own, 'up');
  } catch (error) {
    remove();
    throw error;
  }
  const neighbor = (/** @type {string} */ name, /** @type {string[]} */ ...words) =>
    ip('-n', namespaceOf(name), 'neigh', ...words, 'dev', 'eth0');
  return {
    canCut: true,
    place: (name) => ({
      bind: addressOf(name),
      port: 8090,
      within: ['ip', 'netns', 'exec', namespaceOf(name)],
    }),
    cut: (name) => ip('-n', hub, 'link', 'set', name, 'down'),
    mend: (name) => ip('-n', hub, 'link', 'set', name, 'up'),
    cutBetween: (name, other) =>
      neighbor(name, 'replace', addressOf(other), 'lladdr', nowhere, 'nud', 'permanent'),
    mendBetween: (name, other) => neighbor(name, 'delete', addressOf(other)),
    remove,
  };
}

/** @param {readonly string[]} names @returns {Promise<Network>} */
async function useLoopback(names) {
  const ports = new Map();
  for (const name of names) ports.set(name, await freePort());
  const nothing = () => undefined;
  return {
    canCut: false,
    place: (name) => ({ bind: '127.0.0.1', port: ports.get(name), within: [] }),
    cut: nothing,
    mend: nothing,
    cutBetween: nothing,
    mendBetween: nothing,
    remove: nothing,
  };
}

/** @param {readonly string[]} names of the machines */
export async function makeNetwork(names) {
  const why = obstacle();
  if (why === undefined) return makeNamespaces(names);
  console.log(`no connections are cut: ${why}`);
  return useLoopback(names);
}
