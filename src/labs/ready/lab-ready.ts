/** Which nodes of labs are ready. A node that has answered once is ready until it is down or started again. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../lib/app-error.ts';
import { Semaphore } from '../../lib/async/semaphore.ts';
import { mapBounded } from '../../lib/async/map-bounded.ts';
import { containersThere, type Look } from '../drivers/containers-there.ts';
import { fewOf } from '../drivers/sentence.ts';
import type { ContainerThere, LabEntry, LabState, NodeState } from '../drivers/status-driver.ts';
import type { LabDriver } from '../drivers/lab-driver.ts';
import type { LabNodeDeps, NodeName } from '../nodes/lab-node.ts';
import type { LabStatus } from '../status/lab-status.ts';
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
  /** Its version changes when the last check of a lab may be out of date. */
  readonly status: Pick<LabStatus, 'version'>;
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

interface SeenNode extends NodeReady {
  /** Another one when the node was started again. */
  readonly mark: string;
}

interface SeenLab {
  readonly state: LabState;
  /** When the check began, in ms as `performance.now()`, and the version of the status then. */
  readonly atMs: number;
  readonly version: string;
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

  /** Of a whole lab, from its last check and without its nodes; null when nothing is known. It is followed then. */
  known({ id, entry }: { readonly id: string; readonly entry: LabEntry }): boolean | null {
    if (this.#deps.driver().status.stateOf(entry) !== 'started') return false;
    this.follow(id);
    return this.#readyOf(id);
  }

  #readyOf(id: string): boolean | null {
    const seen = this.#seen.get(id);
    return seen === undefined ? null : labReady(seen.state, [...seen.nodes.values()]);
  }

  /** Has the lab checked until no node is late, or a minute after the last request. Cheap for a lab that is ready. */
  follow(id: string): void {
    this.#follow(id, Number.NEGATIVE_INFINITY);
  }

  /** Resolves when the lab was checked once, or is gone. Never rejects. */
  async seen(id: string): Promise<void> {
    this.follow(id);
    while (this.#wanted.has(id) && !this.#seen.has(id)) await once(this.#looked, id);
  }

  /**
   * Resolves when a check that began after this call has found no node late, or the lab gone. `onLook` gets the late nodes after
   * each check before. Rejects when `signal` is aborted.
   */
  async settled(id: string, signal: AbortSignal, onLook?: (late: string) => void): Promise<void> {
    const sinceMs = performance.now();
    for (this.#follow(id, sinceMs); this.#wanted.has(id); this.#follow(id, sinceMs)) {
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

  #follow(id: string, sinceMs: number): void {
    const isFollowed = this.#wanted.has(id);
    if (!isFollowed && this.#isSettled(id, sinceMs)) return;
    this.#wanted.set(id, performance.now());
    if (!isFollowed) void this.#watch(id);
  }

  #isSettled(id: string, sinceMs: number): boolean {
    const seen = this.#seen.get(id);
    const isNew = seen !== undefined && seen.atMs >= sinceMs && seen.version === this.#deps.status.version;
    return isNew && labReady(seen.state, [...seen.nodes.values()]) !== false;
  }

  async #watch(id: string): Promise<void> {
    const { shutdown } = this.#deps;
    const startMs = performance.now();
    let isGone = false;
    try {
      for (;;) {
        isGone = !(await this.#turns.run(async () => this.#look(id)));
        if (isGone || this.#isSettled(id, Number.NEGATIVE_INFINITY)) return;
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

  /** Whether the lab is there. That the lab CLI does not tell changes nothing. */
  async #look(id: string): Promise<boolean> {
    const atMs = performance.now();
    const { version } = this.#deps.status;
    const before = this.#readyOf(id);
    try {
      const { value: lab } = await this.#deps.list.one(id, { fresh: false });
      const seen = this.#seen.get(id)?.nodes;
      const nodes = new Map(lab.nodes.map(({ name }) => [name, seen?.get(name) ?? { ...unseen, mark: '' }]));
      // A node that is slow to answer does not keep back what is known of the others.
      this.#seen.set(id, { state: lab.state, atMs: Number.NEGATIVE_INFINITY, version: '', nodes });
      await this.#lookAtNodes(lab, nodes);
      this.#seen.set(id, { state: lab.state, atMs, version, nodes });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'instance-not-found') {
        this.#seen.delete(id);
        return false;
      }
    }
    if (this.#readyOf(id) !== before) this.#changes += 1;
    return true;
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
