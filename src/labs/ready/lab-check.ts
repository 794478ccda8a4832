/** One check of the nodes of a lab. */
import { Semaphore } from '../../lib/async/semaphore.ts';
import { containersThere, type Look } from '../drivers/containers-there.ts';
import type { LabDriver } from '../drivers/lab-driver.ts';
import type { ContainerThere, LabState, NodeState } from '../drivers/status-driver.ts';
import type { LabNodeDeps, NodeName } from '../nodes/lab-node.ts';
import type { LabList, ListedLab, ListedNode } from '../status/lab-list.ts';
import {
  isReady,
  notReady,
  probeNode,
  scriptRunner,
  untold,
  type NodeReady,
  type RunInNode,
} from './probe-node.ts';

type Containers = ReadonlyMap<string, ContainerThere>;

export interface CheckDeps {
  readonly list: Pick<LabList, 'one'>;
  readonly driver: () => LabDriver;
  readonly look: Look;
  readonly nodes: LabNodeDeps;
  /** Aborted when the service shuts down. */
  readonly shutdown: AbortSignal;
}

export interface SeenNode extends NodeReady {
  /** Another one when the node was started again. */
  readonly mark: string;
}

export interface SeenLab {
  readonly state: LabState;
  /** When the check began, in ms as `performance.now()`, and in ms since 1970. */
  readonly atMs: number;
  readonly wallMs: number;
  /** The status in the format of the lab CLI, as text: it changes when the lab is started again. */
  readonly entry: string;
  readonly nodes: ReadonlyMap<string, SeenNode>;
}

const listsAtOnce = 2;
/** Each costs a process here, or several. */
const probesAtOnce = 4;

export const unseen: NodeReady = { ready: null, reason: 'it was not checked yet', isUnseen: true };

/**
 * Of a whole lab: false while a node is not ready, null when of no node anything is known. Nodes that nothing is known of do not
 * count, unless they were not checked yet.
 */
export function labReady(state: ListedLab['state'], nodes: readonly NodeReady[]): boolean | null {
  if (state !== 'started' || nodes.some(({ ready }) => ready === false)) return false;
  if (nodes.some(({ isUnseen }) => isUnseen === true)) return null;
  return nodes.some(({ ready }) => ready === true) ? true : null;
}

/** The readiness of a node, if its state alone decides. */
export const byState: Readonly<Record<NodeState, NodeReady | undefined>> = {
  up: undefined,
  down: notReady('it is down'),
  unknown: untold('its state is unknown'),
};

export class LabCheck {
  readonly #deps: CheckDeps;
  readonly #runIn: (name: NodeName) => RunInNode;
  /** The list may cost a run of the lab CLI. */
  readonly #lists = new Semaphore(listsAtOnce);
  readonly #probes = new Semaphore(probesAtOnce);

  constructor(deps: CheckDeps) {
    this.#deps = deps;
    this.#runIn = scriptRunner(deps.nodes, deps.shutdown);
  }

  /**
   * Checks the nodes that are not known to be ready from the check before (`last`). `keep` gets the lab when its nodes are listed,
   * and again when all were checked. @throws Error when something is unknown now; AppError `instance-not-found` for a lab that is gone.
   */
  async run(id: string, last: SeenLab | undefined, keep: (lab: SeenLab) => void): Promise<void> {
    const atMs = performance.now();
    const wallMs = Date.now();
    const { lab, there } = await this.#lists.run(async () => this.#list(id));
    const nodes = new Map(
      lab.nodes.map(({ name }) => [name, last?.nodes.get(name) ?? { ...unseen, mark: '' }]),
    );
    // A node that is slow to answer does not keep back what is known of the others.
    const seen = { state: lab.state, wallMs, entry: JSON.stringify(lab.entry), nodes };
    keep({ ...seen, atMs: Number.NEGATIVE_INFINITY });
    const checks = lab.nodes.map(async (node) => {
      const isNew = last === undefined || (node.sinceMs ?? 0) > last.wallMs;
      nodes.set(node.name, await this.#nodeNow(lab, node, { there, isNew, before: nodes.get(node.name) }));
    });
    await Promise.all(checks);
    keep({ ...seen, atMs });
  }

  /** The lab and its containers. @throws Error when one of them is unknown now. */
  async #list(id: string): Promise<{ readonly lab: ListedLab; readonly there: Containers }> {
    const { value: lab } = await this.#deps.list.one(id, { fresh: false });
    if (lab.nodes.length === 0 && lab.problem !== null) throw new Error(lab.problem);
    const names = this.#isAsked ? lab.nodes.flatMap(({ container }) => container ?? []) : [];
    const { found, doubt } = await containersThere(names, this.#deps.look);
    if (doubt !== null) throw new Error(`Docker does not tell which nodes run: ${doubt}`);
    return { lab, there: found };
  }

  get #isAsked(): boolean {
    return this.#deps.driver().nodes.isReadyWhenUp !== true;
  }

  async #nodeNow(
    lab: ListedLab,
    node: ListedNode,
    { there: all, isNew, before }: { there: Containers; isNew: boolean; before: SeenNode | undefined },
  ): Promise<SeenNode> {
    const there = node.container === null ? undefined : all.get(node.container);
    // A machine has no process here by which its starts differ.
    const mark = there ? `${there.pid} ${there.health ?? ''}` : JSON.stringify(lab.entry);
    const isKept = before?.ready === true && before.mark === mark && (there !== undefined || !isNew);
    const told = byState[node.state] ?? (isKept || !this.#isAsked ? isReady : undefined);
    return { ...(told ?? (await this.#probe(lab.id, node, there))), mark };
  }

  async #probe(lab: string, node: ListedNode, there: ContainerThere | undefined): Promise<NodeReady> {
    if (node.container !== null && there?.isRunning !== true) return notReady('it is down');
    const run = this.#runIn({ lab, node: node.name });
    return this.#probes.run(async () => probeNode(node, there?.health, run));
  }
}
