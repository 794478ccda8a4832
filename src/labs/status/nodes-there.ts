/**
 * Looks for the nodes of labs on this machine. A lab CLI may say for ever that a lab is started (netlab keeps a record), and that a
 * node runs which Docker has started again without its links.
 */
import { containersThere, isParked, wasStartedAgain, type Look } from '../drivers/containers-there.ts';
import { interfacesOf } from '../drivers/net-dev.ts';
import { fewOf } from '../drivers/sentence.ts';
import type { ContainerThere, NodeState, NodeStatus } from '../drivers/status-driver.ts';
import type { LabTopology } from '../drivers/topology.ts';

interface LabNodes {
  readonly id: string;
  /** As the lab CLI told them. */
  readonly nodes: readonly NodeStatus[];
}

export interface NodesThere {
  readonly nodes: readonly NodeStatus[];
  /** Whether it is certain that none of its nodes is there. */
  readonly isGone: boolean;
  /** Why not all is well: a sentence for a person. */
  readonly problem: string | null;
}

export interface NodesThereDeps {
  readonly look: Look;
  /** The topology of a lab; undefined when it is unknown. */
  readonly topologyOf: (id: string) => Promise<LabTopology | undefined>;
  /** Whether the lab CLI leaves out nodes that are not there. Its topology is a file then, which is read without a run. */
  readonly tellsOnlyThose: boolean;
  /** Where the network namespaces have names. */
  readonly namespaces?: string;
}

const namedMost = 8;
const isDown: Readonly<Record<NodeState, boolean>> = { up: false, down: true, unknown: false };

/** Containers that are not the lab's own, and bridges and interfaces of this machine (https://containerlab.dev/manual/kinds/). */
const kindsWithoutContainer = new Set<string | null>([
  'bridge',
  'ovs-bridge',
  'host',
  'ext-container',
  'k8s-kind',
]);

/** The nodes of the topology that were not told. */
function absentNodes({ nodes }: LabTopology, told: readonly NodeStatus[]): readonly NodeStatus[] {
  const names = new Set(told.flatMap(({ name, container }) => [name, container?.partOf ?? name]));
  return nodes
    .filter(({ name, device }) => !names.has(name) && !kindsWithoutContainer.has(device))
    .map(({ name, device }): NodeStatus => {
      const unknown = { image: null, address: null, since: null, container: null };
      return { name, device, provider: told[0]?.provider ?? null, state: 'down', ...unknown };
    });
}

/** A sentence about the nodes that do not run, and one for each that has lost links. */
function problemOf(
  nodes: readonly NodeStatus[],
  lost: ReadonlyMap<string, readonly string[]>,
): string | null {
  const managed = nodes.filter(({ state }) => state !== 'unknown');
  const down = managed.filter(({ name, state }) => isDown[state] && !lost.has(name));
  const names = fewOf(
    down.map(({ name }) => name),
    namedMost,
  );
  const cut = [...lost].map(([name, links]) => `${name} (${links.join(', ')})`);
  const sentences = [
    ...(down.length === 0
      ? []
      : [`${down.length} of ${managed.length} nodes ${down.length === 1 ? 'is' : 'are'} down: ${names}`]),
    ...(cut.length === 0
      ? []
      : [`started again without their links: ${fewOf(cut, namedMost)}; restart the lab to get them back`]),
  ];
  return sentences.length === 0 ? null : sentences.join('; ');
}

interface Found {
  readonly container: string;
  readonly there: ContainerThere;
}

/** The links of a node that it does not have any more: its container was started again by something else. */
async function lostLinks(id: string, name: string, { container, there }: Found, deps: NodesThereDeps) {
  if (!there.isRunning || there.pid === 0 || !wasStartedAgain(container, there, deps.namespaces)) return [];
  const node = (await deps.topologyOf(id))?.nodes.find((one) => one.name === name);
  const links = node?.interfaces.filter(({ link }) => link !== null) ?? [];
  const interfaces = links.length === 0 ? undefined : await interfacesOf(there.pid);
  return links.map((link) => link.name).filter((link) => interfaces?.has(link) === false);
}

const stopped: ContainerThere = { isRunning: false, pid: 0 };

async function thereOf(
  { id, nodes: told }: LabNodes,
  found: ReadonlyMap<string, ContainerThere>,
  deps: NodesThereDeps,
): Promise<NodesThere> {
  const topology = deps.tellsOnlyThose ? await deps.topologyOf(id) : undefined;
  const lost = new Map<string, readonly string[]>();
  const nodes: NodeStatus[] = [];
  for (const node of told) {
    const { container, state, name } = node;
    if (container === null || state === 'unknown') nodes.push(node);
    else {
      const there = container.there ?? found.get(container.name) ?? stopped;
      const links = await lostLinks(id, name, { container: container.name, there }, deps);
      if (links.length > 0) lost.set(name, links);
      const isUp = there.isRunning && links.length === 0;
      nodes.push({ ...node, state: isUp ? 'up' : 'down', since: isUp ? node.since : null });
    }
  }
  const isAway = ({ container, state }: NodeStatus): boolean =>
    state === 'unknown' ||
    (container !== null &&
      (container.there ?? found.get(container.name))?.isRunning !== true &&
      !isParked(container.name, deps.namespaces));
  const isGone = nodes.some(({ state }) => state !== 'unknown') && nodes.every(isAway);
  const all = [...nodes, ...(topology === undefined ? [] : absentNodes(topology, told))];
  return { nodes: all, isGone, problem: problemOf(all, lost) };
}

/** Looks at these labs, with one question to Docker for all of them. Never throws. */
export async function nodesThere(
  labs: readonly LabNodes[],
  deps: NodesThereDeps,
): Promise<ReadonlyMap<string, NodesThere>> {
  const isAsked = ({ container }: NodeStatus): boolean => container !== null && container.there === undefined;
  const names = labs.flatMap(({ nodes }) =>
    nodes.filter(isAsked).flatMap(({ container }) => container?.name ?? []),
  );
  const { found, doubt } = await containersThere(names, deps.look);
  const all = labs.map(async (lab): Promise<readonly [string, NodesThere]> => {
    if (doubt === null || !lab.nodes.some(isAsked)) return [lab.id, await thereOf(lab, found, deps)];
    // A lab CLI that asks Docker, too, and gets no answer says that nothing runs.
    const nodes = lab.nodes.map((node) =>
      isAsked(node) ? { ...node, state: 'unknown' as const, since: null } : node,
    );
    return [lab.id, { nodes, isGone: false, problem: `Docker does not tell which nodes run: ${doubt}` }];
  });
  return new Map(await Promise.all(all));
}
