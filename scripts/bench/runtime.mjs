// Measures netlab's labs of FRR routers in namespaces beside Docker and containerlab, in turn: examples/isis, and a ring of
// OSPF routers. For root, with netlab and FRR; without Docker and containerlab, their column stays empty.
// Memory is what less there is available (MemAvailable, proc(5)) after `up` than before it, for each router: processes of
// nodes and of the runtime, files in memory, and what the kernel keeps for them.
// Targets: `up` takes at most half of the time of containers, `down` less than a second, a router at most 15 MB; a large ring
// comes up.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { netlabRuns } from '../lib/netlab-runs.mjs';
import { atEnd, median, progress, root, showTable, target } from './kit.mjs';

export const options = /** @type {const} */ ({
  runs: { type: 'string', default: '5' },
  ring: { type: 'string', default: '30' },
  large: { type: 'string', default: '100' },
});
const limitMs = 900_000;
const megabyte = 1_000_000;
const routersOfExample = 3;

/** @typedef {{ name: string, directory: string, routers: number }} Lab */
/** @typedef {{ up: number, down: number, memory: number }} Figures seconds, seconds, bytes for each router */

/** @param {number} routers @returns {Lab} */
function ringOf(routers) {
  const directory = path.join(root, `ring${routers}`);
  mkdirSync(directory);
  const names = Array.from({ length: routers }, (_, index) => `r${index + 1}`);
  const links = names.map((name, index) => `${name}-${names[(index + 1) % routers]}`);
  writeFileSync(
    path.join(directory, 'topology.yml'),
    `name: ring${routers}\nprovider: clab\ndefaults.device: frr\nmodule: [ospf]\nnodes: [${names.join(', ')}]\nlinks: [${links.join(', ')}]\n`,
  );
  return { name: `ring of ${routers}`, directory, routers };
}

function example() {
  const directory = path.join(root, 'isis');
  cpSync('examples/isis', directory, { recursive: true });
  return { name: 'examples/isis', directory, routers: routersOfExample };
}

function availableBytes() {
  const kibibytes = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
  return Number(kibibytes) * 1024;
}

/**
 * @param {ReturnType<typeof netlabRuns>} netlab
 * @param {Lab} lab
 * @param {string} runtime
 * @returns {Promise<Figures>}
 */
async function measure(netlab, { name, directory, routers }, runtime) {
  const down = async () => netlab(directory, runtime, ['down', '--cleanup', '--force'], limitMs);
  atEnd(down);
  const before = availableBytes();
  const started = await netlab(directory, runtime, ['up'], limitMs);
  const memory = (before - availableBytes()) / routers;
  const ended = await down();
  for (const { code, printed } of [started, ended])
    if (code !== 0)
      throw new Error(`${name} with ${runtime}: ${printed.trim().split('\n').slice(-3).join(' ')}`);
  progress(`${name}, ${runtime}: up ${started.seconds.toFixed(1)} s, down ${ended.seconds.toFixed(1)} s`);
  return { up: started.seconds, down: ended.seconds, memory };
}

/** @param {readonly Figures[]} all @returns {Figures} */
const medians = (all) => ({
  up: median(all.map(({ up }) => up)),
  down: median(all.map(({ down }) => down)),
  memory: median(all.map(({ memory }) => memory)),
});

/** @param {Record<keyof typeof options, string>} values */
export async function bench({ runs, ring, large }) {
  const netlab = netlabRuns(root);
  const hasContainers = ['docker', 'containerlab'].every((name) => spawnSync(name, ['version']).status === 0);
  const runtimes = hasContainers ? ['namespaces', 'containers'] : ['namespaces'];
  /** @type {(string | number)[][]} */
  const rows = [];
  for (const lab of [example(), ringOf(Number(ring))]) {
    /** @type {Record<string, Figures[]>} */
    const measured = { namespaces: [], containers: [] };
    for (let run = 0; run < Number(runs); run += 1)
      for (const runtime of runtimes) measured[runtime]?.push(await measure(netlab, lab, runtime));
    const inNamespaces = medians(measured['namespaces'] ?? []);
    const inContainers = medians(measured['containers'] ?? []);
    const show = (/** @type {number} */ seconds) => (Number.isNaN(seconds) ? '–' : `${seconds.toFixed(1)} s`);
    const showMemory = (/** @type {number} */ bytes) =>
      Number.isNaN(bytes) ? '–' : `${(bytes / megabyte).toFixed(1)} MB`;
    rows.push(
      [`${lab.name}: up`, show(inNamespaces.up), show(inContainers.up)],
      [`${lab.name}: down`, show(inNamespaces.down), show(inContainers.down)],
      [`${lab.name}: memory of a router`, showMemory(inNamespaces.memory), showMemory(inContainers.memory)],
    );
    target(
      `${lab.name}: up takes at most half of the time of containers`,
      hasContainers ? inNamespaces.up <= inContainers.up / 2 : undefined,
    );
    target(`${lab.name}: down takes less than a second`, inNamespaces.down < 1);
    if (lab.routers >= Number(ring))
      target(`${lab.name}: a router takes at most 15 MB`, inNamespaces.memory <= 15 * megabyte);
  }
  if (Number(large) > 0) {
    const { up, down } = await measure(netlab, ringOf(Number(large)), 'namespaces');
    rows.push(
      [`ring of ${large}, once: up`, `${up.toFixed(1)} s`, '–'],
      [`ring of ${large}, once: down`, `${down.toFixed(1)} s`, '–'],
    );
    target(`a ring of ${large} comes up`, true);
  }
  showTable(['', 'namespaces', 'containers'], rows);
}
