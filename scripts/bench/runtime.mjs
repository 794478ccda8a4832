// Measures netlab's labs of FRR routers in namespaces beside Docker and containerlab, in turn: examples/isis, and a ring of
// OSPF routers. For root, with netlab and FRR; without Docker and containerlab, their column stays empty.
// Memory is that of the processes of the nodes after `up`, for each router. Docker's own processes, one or more for each
// container, are not in it.
// Targets: `up` takes at most half of the time of containers, `down` of the example less than a second, and of the ring at most
// half; a router takes at most 1 MB more than in a container; a large ring comes up.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
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

/** Memory of the processes of all nodes, in bytes. Shared memory counts in part for each process (Pss, proc(5)). */
function memoryOfNodes() {
  const own = readlinkSync('/proc/self/ns/net');
  let kibibytes = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (readlinkSync(`/proc/${pid}/ns/net`) === own) continue;
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      kibibytes += Number(/^Pss: +(\d+)/m.exec(rollup)?.[1]);
    } catch {
      // It has ended.
    }
  return kibibytes * 1024;
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
  const before = memoryOfNodes();
  const started = await netlab(directory, runtime, ['up'], limitMs);
  const memory = (memoryOfNodes() - before) / routers;
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
    if (lab.routers < Number(ring)) {
      target(`${lab.name}: down takes less than a second`, inNamespaces.down < 1);
      continue;
    }
    target(
      `${lab.name}: down takes at most half of the time of containers`,
      hasContainers ? inNamespaces.down <= inContainers.down / 2 : undefined,
    );
    target(
      `${lab.name}: a router takes at most 1 MB more than in a container`,
      hasContainers ? inNamespaces.memory <= inContainers.memory + megabyte : undefined,
    );
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
