/**
 * The counters of the interfaces at the links of labs, from the kernel: no program is run in a container. However many clients
 * watch a lab, it is read about once a second, and less often where that takes long.
 */
import { readlink } from 'node:fs/promises';
import { LruCache } from '../../lib/cache/lru-cache.ts';
import { mapBounded } from '../../lib/async/map-bounded.ts';
import { settledWithin } from '../../lib/async/settled-within.ts';
import { identify, isAlive, type ProcessIdentity } from '../../lib/processes/processes.ts';
import { containersThere, type Look } from '../drivers/containers-there.ts';
import type { LabDriver } from '../drivers/lab-driver.ts';
import { interfacesOf, uptimeMs, type InterfaceCounters, type InterfacesThen } from '../drivers/net-dev.ts';
import type { Asker, NodeStatus } from '../drivers/status-driver.ts';
import type { LabTopology } from '../drivers/topology.ts';
import type { LabStatus } from '../status/lab-status.ts';
import { nodesIn } from './lab-node.ts';

interface ReadInterface extends InterfaceCounters {
  readonly interface: string;
  /** The id of its link in the topology. */
  readonly link: string;
}

interface ReadNode {
  readonly node: string;
  readonly readAtMs: InterfacesThen['readAtMs'];
  readonly interfaces: readonly ReadInterface[];
}

/** Interfaces at links that could not be read. */
interface Unread {
  readonly node: string;
  /** Null for all of the node. */
  readonly interface: string | null;
  /** A clause: why. */
  readonly reason: string;
}

export interface Traffic {
  readonly nodes: readonly ReadNode[];
  readonly unread: readonly Unread[];
}

interface LabTrafficDeps {
  readonly status: Pick<LabStatus, 'instance' | 'nodeEntriesOf' | 'version'>;
  readonly topologies: { readonly of: (lab: string) => Promise<{ readonly topology: LabTopology }> };
  readonly driver: () => LabDriver;
  readonly asker: Asker;
  readonly look: Look;
  /** A clock that only goes forward, in ms. */
  readonly now?: () => number;
}

/** The nodes of a lab in the last status, which takes netlab a second. */
interface KnownNodes {
  /** Of the status. */
  readonly version: string;
  readonly nodes: readonly NodeStatus[];
  /** By the name of the container: its first process. */
  readonly processes: Map<string, ProcessIdentity>;
  /** When Docker was asked for those that are missing, by `now`. */
  askedAtMs: number;
  /** Why Docker did not tell then. */
  doubt: string | null;
}

/** Of a lab, the ends of its links by node, and its nodes. */
interface Wanted {
  readonly lab: string;
  readonly ends: ReturnType<typeof endsByNode>;
  readonly known: KnownNodes;
}

interface Shared {
  readonly version: string;
  readonly reading: Promise<Traffic>;
  /** By `now`. */
  freshUntilMs: number;
}

/** Labs that are watched at the same time. */
const labsMax = 200;
const sharedForMs = 1_000;
/** A reading is shared so many times as long as it took: a lab takes no more than a tenth of a processor. */
const sharePerCost = 10;
/** A picture that stands still for longer looks broken. */
const sharedForAtMostMs = 10_000;
/** A node that is stopped for good does not cost a run of Docker for each reading. */
const askAgainMs = 5_000;
const nodesAtOnce = 8;
const patienceMs = 1_000;

const notRunning = 'it does not run';

/** The ends of links by node. A snapshot may be damaged: an end whose node is not there is left out. */
function endsByNode({ nodes, links }: LabTopology) {
  const ends = new Map(nodes.map(({ name }) => [name, [] as { interface: string; link: string }[]]));
  for (const { id, endpoints } of links)
    for (const { node, interface: name } of endpoints) ends.get(node)?.push({ interface: name, link: id });
  return [...ends].filter(([, own]) => own.length > 0);
}

/** A container may use the network of the server, whose counters are not those of a node (namespaces(7)). */
async function isInOwnNetwork(pid: number): Promise<boolean> {
  const [its, own] = await Promise.all(
    [pid, 'self'].map(async (one) => readlink(`/proc/${one}/ns/net`).catch(() => undefined)),
  );
  return its !== undefined && its === own;
}

/** The reason in place of interfaces that cannot be read. */
async function readProcess(process: ProcessIdentity | undefined): Promise<InterfacesThen | string> {
  if (process === undefined) return notRunning;
  const { pid } = process;
  if (await isInOwnNetwork(pid)) return 'it is in the network of the server itself';
  const interfaces = await interfacesOf(pid);
  const readAtMs = uptimeMs();
  // Meanwhile another process may have its pid.
  if (!isAlive(process)) return notRunning;
  return interfaces === undefined ? 'the service may not read its interfaces' : { readAtMs, interfaces };
}

export class LabTraffic {
  readonly #deps: LabTrafficDeps;
  readonly #now: () => number;
  readonly #shared = new LruCache<Shared>(labsMax);
  readonly #known = new LruCache<KnownNodes>(labsMax);

  constructor(deps: LabTrafficDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  /** @throws AppError as `LabTopologies.of` and `nodesIn`. */
  async of(lab: string): Promise<Traffic> {
    const { version } = this.#deps.status;
    const kept = this.#shared.get(lab);
    if (kept?.version === version && this.#now() < kept.freshUntilMs) return kept.reading;
    let costMs = 0;
    const read = async (wanted: Wanted): Promise<Traffic> => {
      const beganMs = this.#now();
      const traffic = await this.#read(wanted);
      costMs = this.#now() - beganMs;
      return traffic;
    };
    const shared: Shared = { version, reading: this.#wanted(lab).then(read), freshUntilMs: Infinity };
    const end = (): void => {
      const forMs = Math.max(sharedForMs, sharePerCost * costMs);
      shared.freshUntilMs = this.#now() + Math.min(sharedForAtMostMs, forMs);
    };
    shared.reading.then(end, end);
    this.#shared.set(lab, shared);
    return shared.reading;
  }

  /** The time that this takes is not part of the cost of a reading: the next reading has it at hand. */
  async #wanted(lab: string): Promise<Wanted> {
    const { topology } = await this.#deps.topologies.of(lab);
    return { lab, ends: endsByNode(topology), known: await this.#nodesOf(lab) };
  }

  async #read({ ends, ...whose }: Wanted): Promise<Traffic> {
    const read = await this.#reader(whose);
    const nodes: ReadNode[] = [];
    const unread: Unread[] = [];
    const all = await mapBounded(ends, nodesAtOnce, async ([node, own]) => {
      const late = `its interfaces were not read within ${patienceMs / 1_000} s`;
      return { node, own, reading: (await settledWithin(read(node), patienceMs)) ?? late };
    });
    for (const { node, own, reading } of all) {
      if (typeof reading === 'string') {
        unread.push({ node, interface: null, reason: reading });
        continue;
      }
      const there = own.flatMap((end) => {
        const counters = reading.interfaces.get(end.interface);
        if (counters === undefined)
          unread.push({ node, interface: end.interface, reason: 'the node has no interface of that name' });
        return counters === undefined ? [] : [{ ...end, ...counters }];
      });
      nodes.push({ node, readAtMs: reading.readAtMs, interfaces: there });
    }
    return { nodes, unread };
  }

  /** The function that reads the interfaces of a node, or tells why it cannot. */
  async #reader({
    lab,
    known,
  }: Omit<Wanted, 'ends'>): Promise<(node: string) => Promise<InterfacesThen | string>> {
    const { driver, asker, look } = this.#deps;
    const { interfaces } = driver().nodes;
    if (interfaces !== undefined) {
      const { found, doubt } = await interfaces(lab, asker, look);
      return async (node) => Promise.resolve(found.get(node) ?? doubt ?? notRunning);
    }
    await this.#findProcesses(known);
    return async (node) => {
      // A node may be several containers, which share a network.
      const own = known.nodes.filter(({ name, container }) => (container?.partOf ?? name) === node);
      if (own.length === 0) return 'it does not run, or is no container';
      const containers = own.flatMap(({ container }) => container?.name ?? []);
      if (containers.length === 0) return 'it is no container: its interfaces are not reached from here';
      const process = containers.map((name) => known.processes.get(name)).find((one) => one !== undefined);
      if (process === undefined && known.doubt !== null)
        return `Docker does not tell whether it runs: ${known.doubt}`;
      return readProcess(process);
    };
  }

  async #nodesOf(lab: string): Promise<KnownNodes> {
    const { status, driver } = this.#deps;
    const { version } = status;
    const kept = this.#known.get(lab);
    if (kept?.version === version) return kept;
    await nodesIn(status, lab);
    const { body } = await status.instance(lab, 'json', { fresh: false });
    const nodes = driver().status.nodesOf(body, Date.now());
    const told = nodes.flatMap(({ container }) =>
      container?.there?.isRunning === true && container.there.pid > 0
        ? [[container.name, identify(container.there.pid)] as const]
        : [],
    );
    const known = { version, nodes, processes: new Map(told), askedAtMs: -Infinity, doubt: null };
    this.#known.set(lab, known);
    return known;
  }

  /** Asks Docker for the processes of containers whose process is unknown or gone. */
  async #findProcesses(known: KnownNodes): Promise<void> {
    for (const [name, process] of known.processes) if (!isAlive(process)) known.processes.delete(name);
    const containers = known.nodes.flatMap(({ container }) => container?.name ?? []);
    const missing = containers.filter((name) => !known.processes.has(name));
    if (missing.length === 0 || this.#now() - known.askedAtMs < askAgainMs) return;
    known.askedAtMs = this.#now();
    const { found, doubt } = await containersThere(missing, this.#deps.look);
    known.doubt = doubt;
    for (const [name, { isRunning, pid }] of found)
      if (isRunning && pid > 0) known.processes.set(name, identify(pid));
  }
}
