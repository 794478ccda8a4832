/** Which nodes of labs are ready. A node that has answered once is ready until it is down or started again. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../lib/app-error.ts';
import { Semaphore } from '../../lib/async/semaphore.ts';
import { mapBounded } from '../../lib/async/map-bounded.ts';
import { containersThere, type Look } from '../drivers/containers-there.ts';
import { fewOf } from '../drivers/sentence.ts';
import type { ContainerThere, LabState, NodeState } from '../drivers/status-driver.ts';
import type { LabDriver } from '../drivers/lab-driver.ts';
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

interface LabReadyDeps {
  readonly list: Pick<LabList, 'one'>;
  readonly driver: () => LabDriver;
  readonly look: Look;
  readonly nodes: LabNodeDeps;
  /** Aborted when the service shuts down. */
  readonly shutdown: AbortSignal;
}

export interface LabReadiness {
  /** False while a node is not ready; null when of no node anything is known. */
  readonly ready: boolean | null;
  /** In the order of the nodes of the lab. */
  readonly nodes: readonly NodeReady[];
}

export interface UntilReady {
  readonly seconds: number;
  /** When the command ended, in ms since 1970. */
  readonly endedMs: number;
  readonly stopped: AbortSignal;
  /** Gets a line whenever other nodes are late. */
  readonly say: (line: string) => void;
}

/** A lab as a list has it, with its nodes or without. */
interface AskedLab extends Pick<ListedLab, 'id' | 'entry'> {
  readonly nodes?: ListedLab['nodes'];
}

interface SeenNode extends NodeReady {
  /** Another one when the node was started again. */
  readonly mark: string;
}

interface SeenLab {
  readonly state: LabState;
  /** When the check began, in ms as `performance.now()`, and in ms since 1970. */
  readonly atMs: number;
  readonly wallMs: number;
  /** The status in the format of the lab CLI, as text: it changes when the lab is started again. */
  readonly entry: string;
  readonly nodes: ReadonlyMap<string, SeenNode>;
}

const namedMost = 8;
const looksAtOnce = 2;
/** Each costs a process here, or several. */
const probesAtOnce = 4;
/** A lab is checked for this long after the last request for it. */
const wantedMs = 60_000;
const shortestPauseMs = 500;
const longestPauseMs = 15_000;
/** Of the time since the first check: a lab that takes long is checked less often. */
const pauseShare = 0.1;

const unseen: NodeReady = { ready: null, reason: 'it was not checked yet', isUnseen: true };

/**
 * Of a whole lab: false while a node is not ready, null when of no node anything is known. Nodes that nothing is known of do not
 * count, unless they were not checked yet.
 */
function labReady(state: ListedLab['state'], nodes: readonly NodeReady[]): boolean | null {
  if (state !== 'started' || nodes.some(({ ready }) => ready === false)) return false;
  if (nodes.some(({ isUnseen }) => isUnseen === true)) return null;
  return nodes.some(({ ready }) => ready === true) ? true : null;
}

/** For a sentence: which nodes are not ready, and why. */
function lateNodes(nodes: readonly (NodeReady & { readonly name: string })[]): string {
  const late = nodes.filter(({ ready }) => ready === false);
  return fewOf(
    late.map(({ name, reason }) => `${name} (${reason})`),
    namedMost,
  );
}

/** The readiness of a node, if its state alone decides. */
const byState: Readonly<Record<NodeState, NodeReady | undefined>> = {
  up: undefined,
  down: notReady('it is down'),
  unknown: untold('its state is unknown'),
};

export class LabReady {
  readonly #deps: LabReadyDeps;
  readonly #runIn: (name: NodeName) => RunInNode;
  /** By instance. */
  readonly #seen = new Map<string, SeenLab>();
  /** The time of the last request for each lab that is being checked, in ms as `performance.now()`. */
  readonly #wanted = new Map<string, number>();
  /** The name of an event is the instance of the lab that was checked. */
  readonly #looked = new EventEmitter().setMaxListeners(0);
  /** A check costs a run of the lab CLI. */
  readonly #turns = new Semaphore(looksAtOnce);
  #changes = 0;

  constructor(deps: LabReadyDeps) {
    this.#deps = deps;
    this.#runIn = scriptRunner(deps.nodes, deps.shutdown);
  }

  /** Changes when a lab has become ready, or is not any more. */
  get version(): string {
    return String(this.#changes);
  }

  /** From its last check. */
  of({ id, nodes: listed, state }: Pick<ListedLab, 'id' | 'nodes' | 'state'>): LabReadiness {
    const seen = this.#seen.get(id)?.nodes;
    const nodes = listed.map((node) => byState[node.state] ?? seen?.get(node.name) ?? unseen);
    return { ready: labReady(state, nodes), nodes };
  }

  /**
   * Of a whole lab, from its last check; null when nothing is known. A lab that was not checked since it has changed is checked from
   * now on until no node is late, or a minute after the last call. Cheap for any other.
   */
  known(lab: AskedLab): boolean | null {
    if (this.#deps.driver().status.stateOf(lab.entry) !== 'started') return false;
    if (this.#isStale(lab) || this.#readyOf(lab.id) === false) this.#follow(lab.id);
    return this.#readyOf(lab.id);
  }

  #isStale({ id, entry, nodes = [] }: AskedLab): boolean {
    const seen = this.#seen.get(id);
    if (seen === undefined || seen.entry !== JSON.stringify(entry)) return true;
    return nodes.some(({ sinceMs }) => sinceMs !== null && sinceMs > seen.wallMs);
  }

  #readyOf(id: string): boolean | null {
    const seen = this.#seen.get(id);
    return seen === undefined ? null : labReady(seen.state, [...seen.nodes.values()]);
  }

  /** Resolves when all nodes of the lab were checked once, or the lab is gone. Never rejects. */
  async seen(lab: AskedLab): Promise<void> {
    const isUnseen = (): boolean => {
      const nodes = this.#seen.get(lab.id)?.nodes;
      return nodes === undefined || [...nodes.values()].some((node) => node.isUnseen === true);
    };
    this.known(lab);
    while (this.#wanted.has(lab.id) && isUnseen()) await once(this.#looked, lab.id);
  }

  /**
   * Resolves when a check that began after this call has found no node late, or the lab gone. `onLook` gets the late nodes after
   * each check before. Rejects when `signal` is aborted.
   */
  async settled(id: string, signal: AbortSignal, onLook?: (late: string) => void): Promise<void> {
    const sinceMs = performance.now();
    while (!this.#isSettled(id, sinceMs)) {
      this.#follow(id);
      const [isGone] = (await once(this.#looked, id, { signal })) as [boolean];
      if (isGone) return;
      onLook?.(this.#lateIn(id));
    }
  }

  /** The same until so long after a command ended. A sentence when nodes are late then; undefined when none is. */
  async untilReady(id: string, { seconds, endedMs, stopped, say }: UntilReady): Promise<string | undefined> {
    const { shutdown } = this.#deps;
    const inTime = AbortSignal.timeout(Math.max(0, Math.ceil(endedMs + seconds * 1_000 - Date.now())));
    let said = '';
    try {
      await this.settled(id, AbortSignal.any([inTime, stopped, shutdown]), (late) => {
        if (late === '' || late === said) return;
        say(`waiting for nodes to be ready: ${late}`);
        said = late;
      });
      if (said !== '') say('all nodes are ready');
      return undefined;
    } catch (error) {
      // The next service finds that the command has ended, and waits again.
      if (shutdown.aborted) return new Promise(() => undefined);
      if (stopped.aborted) throw error;
      const late = this.#lateIn(id);
      return `not all nodes were ready ${seconds} s after the lab was up${late === '' ? '' : `: ${late}`}`;
    }
  }

  /** The nodes that were late at the last check, each with the reason; empty when none was. */
  #lateIn(id: string): string {
    const seen = this.#seen.get(id)?.nodes ?? new Map<string, SeenNode>();
    return lateNodes([...seen].map(([name, node]) => ({ ...node, name })));
  }

  #follow(id: string): void {
    const isFollowed = this.#wanted.has(id);
    this.#wanted.set(id, performance.now());
    if (!isFollowed) void this.#watch(id);
  }

  /** Whether a check that began after `sinceMs` has found no node late. */
  #isSettled(id: string, sinceMs = Number.NEGATIVE_INFINITY): boolean {
    return (this.#seen.get(id)?.atMs ?? Number.NaN) >= sinceMs && this.#readyOf(id) !== false;
  }

  async #watch(id: string): Promise<void> {
    const { shutdown } = this.#deps;
    const startMs = performance.now();
    let isGone = false;
    try {
      for (;;) {
        const found = await this.#turns.run(async () => this.#look(id));
        isGone = found === 'gone';
        if (isGone || (found === 'checked' && this.#isSettled(id))) return;
        const now = performance.now();
        if (now - (this.#wanted.get(id) ?? 0) > wantedMs) return;
        this.#looked.emit(id, false);
        const pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, pauseShare * (now - startMs)));
        await delay(pauseMs, undefined, { ref: false, signal: shutdown });
      }
    } catch {
      // The service shuts down.
      isGone = true;
    } finally {
      this.#wanted.delete(id);
      this.#looked.emit(id, isGone);
    }
  }

  /** A lab CLI that fails changes nothing. */
  async #look(id: string): Promise<'checked' | 'failed' | 'gone'> {
    const atMs = performance.now();
    const wallMs = Date.now();
    const before = this.#readyOf(id);
    try {
      const { value: lab } = await this.#deps.list.one(id, { fresh: false });
      const seen = this.#seen.get(id)?.nodes;
      const nodes = new Map(lab.nodes.map(({ name }) => [name, seen?.get(name) ?? { ...unseen, mark: '' }]));
      // A node that is slow to answer does not keep back what is known of the others.
      const told = { state: lab.state, wallMs, entry: JSON.stringify(lab.entry), nodes };
      this.#seen.set(id, { ...told, atMs: Number.NEGATIVE_INFINITY });
      await this.#lookAtNodes(lab, nodes);
      this.#seen.set(id, { ...told, atMs });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code !== 'instance-not-found') return 'failed';
      this.#seen.delete(id);
      return 'gone';
    }
    if (this.#readyOf(id) !== before) this.#changes += 1;
    return 'checked';
  }

  async #lookAtNodes(lab: ListedLab, seen: Map<string, SeenNode>): Promise<void> {
    const isAsked = this.#deps.driver().nodes.isReadyWhenUp !== true;
    const names = isAsked ? lab.nodes.flatMap(({ container }) => container ?? []) : [];
    const { found, doubt } = await containersThere(names, this.#deps.look);
    await mapBounded(lab.nodes, probesAtOnce, async (node) => {
      const there = node.container === null ? undefined : found.get(node.container);
      const mark = `${there?.pid ?? ''} ${there?.health ?? ''}`;
      const before = seen.get(node.name);
      const isKept = before?.ready === true && before.mark === mark;
      const told = byState[node.state] ?? (isKept || !isAsked ? isReady : undefined);
      seen.set(node.name, { ...(told ?? (await this.#probe(lab.id, node, there, doubt))), mark });
    });
  }

  async #probe(
    lab: string,
    node: ListedNode,
    there: ContainerThere | undefined,
    doubt: string | null,
  ): Promise<NodeReady> {
    if (node.container !== null && there?.isRunning !== true)
      return doubt === null ? notReady('it is down') : untold(`Docker does not tell: ${doubt}`);
    return probeNode(node, there?.health, this.#runIn({ lab, node: node.name }));
  }
}
