/** Which nodes of labs are ready. A node that has answered once is ready until it is down, started again or unhealthy. */
import { setTimeout as delay } from 'node:timers/promises';
import { AppError, messageOf } from '../../lib/app-error.ts';
import { deferred, type Deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import { linkSignals } from '../../lib/async/linked-signal.ts';
import { fewOf } from '../drivers/sentence.ts';
import type { ListedLab } from '../status/lab-list.ts';
import { byState, LabCheck, labReady, unseen, type CheckDeps, type SeenLab } from './lab-check.ts';
import type { NodeReady } from './probe-node.ts';

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

interface WaitOptions {
  readonly ms: number;
  readonly signal: AbortSignal;
  readonly onLook?: () => void;
}

const namedMost = 8;
/** Of labs whose last check is kept. */
const keptMost = 1_000;
/** A lab is checked for this long after the last request for it. */
const wantedForMs = 60_000;
const shortestPauseMs = 500;
const longestPauseMs = 15_000;
/** Of the time since the first check: a lab that takes long is checked less often. */
const pauseShare = 0.1;
/** Times the cost of the last check, while no client waits: many labs with a late node must not keep a server busy. */
const pausePerCost = 10;
/** How long a job waits whose time was over before a service could check anything. */
const leastWaitMs = 30_000;

type Found = 'checked' | 'failed' | 'gone';

/** A lab that is being checked again and again. */
interface Watching {
  /** When it was asked for last, in ms as `performance.now()`. */
  wantedMs: number;
  /** How many wait until no node is late. */
  waiting: number;
  /** Resolves with the end of the next check. */
  looked: Deferred<Found>;
  /** Why the last check failed; undefined when it did not. */
  failure: string | undefined;
}

export class LabReady {
  readonly #deps: CheckDeps;
  readonly #check: LabCheck;
  /** By instance, as all that follow. */
  readonly #seen = new Map<string, SeenLab>();
  readonly #watched = new Map<string, Watching>();
  #changes = 0;

  constructor(deps: CheckDeps) {
    this.#deps = deps;
    this.#check = new LabCheck(deps);
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

  /** Of a lab that is gone. */
  forget(id: string): void {
    this.#seen.delete(id);
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
    for (let one = this.#watched.get(lab.id); one && isUnseen(); one = this.#watched.get(lab.id))
      await one.looked.promise;
  }

  /**
   * Resolves when a check that began after this call has found no node late (`settled`), the lab is gone, the time is over
   * (`late`), or `signal` is aborted (`stopped`). `onLook` is called after each check.
   */
  async settled(
    id: string,
    { ms, signal, onLook = () => undefined }: WaitOptions,
  ): Promise<'settled' | 'gone' | 'late' | 'stopped'> {
    const sinceMs = performance.now();
    const over = deferred<'late' | 'stopped'>();
    const stop = (): void => over.resolve('stopped');
    const stopTimer = after(ms, () => over.resolve('late'));
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      while (!this.#isSettled(id, sinceMs)) {
        const found = await Promise.race([over.promise, this.#nextCheck(id)]);
        if (found === 'gone' || found === 'late' || found === 'stopped') return found;
        onLook();
      }
      return 'settled';
    } finally {
      stopTimer();
      signal.removeEventListener('abort', stop);
    }
  }

  async #nextCheck(id: string): Promise<Found> {
    const watching = this.#follow(id);
    watching.waiting += 1;
    try {
      return await watching.looked.promise;
    } finally {
      watching.waiting -= 1;
    }
  }

  /** The same after a command has ended. A sentence when the lab is not ready in time; undefined when it is. Rejects when stopped. */
  async untilReady(id: string, { seconds, endedMs, stopped, say }: UntilReady): Promise<string | undefined> {
    const { shutdown } = this.#deps;
    const restMs = endedMs + seconds * 1_000 - Date.now();
    // The time may have passed while no service was there to check anything.
    const ms = restMs > 0 ? restMs : Math.min(seconds * 1_000, leastWaitMs);
    let said = '';
    const onLook = (): void => {
      const late = this.#lateIn(id);
      if (late === '' || late === said) return;
      said = late;
      say(`waiting for nodes to be ready: ${late}`);
    };
    const { signal, unlink } = linkSignals(stopped, shutdown);
    const end = await this.settled(id, { ms, signal, onLook }).finally(unlink);
    // The next service finds that the command has ended, and waits again.
    if (end === 'stopped' && !stopped.aborted) return new Promise(() => undefined);
    if (end === 'stopped') throw new Error('the job was stopped');
    if (end === 'gone') return 'the lab went away before its nodes were ready';
    if (end === 'late') return this.#lateSentence(id, seconds);
    if (said !== '') say('all nodes are ready');
    return undefined;
  }

  #lateSentence(id: string, seconds: number): string {
    const why = this.#watched.get(id)?.failure ?? this.#lateIn(id);
    return `not all nodes were ready ${seconds} s after the lab was up: ${why === '' ? 'they were not checked in time' : why}`;
  }

  /** The nodes that were late at the last check, each with the reason; empty when none was. */
  #lateIn(id: string): string {
    const nodes = [...(this.#seen.get(id)?.nodes ?? [])];
    const late = nodes.filter(([, { ready }]) => ready === false);
    return fewOf(
      late.map(([name, { reason }]) => `${name} (${reason})`),
      namedMost,
    );
  }

  #follow(id: string): Watching {
    const wantedMs = performance.now();
    const known = this.#watched.get(id);
    if (known) {
      known.wantedMs = wantedMs;
      return known;
    }
    const looked = deferred<Found>();
    const watching = { wantedMs, waiting: 0, looked, failure: undefined };
    this.#watched.set(id, watching);
    void this.#watch(id, watching);
    return watching;
  }

  /** Whether a check that began after `sinceMs` has found no node late. */
  #isSettled(id: string, sinceMs = Number.NEGATIVE_INFINITY): boolean {
    return (this.#seen.get(id)?.atMs ?? Number.NaN) >= sinceMs && this.#readyOf(id) !== false;
  }

  async #watch(id: string, watching: Watching): Promise<void> {
    const startMs = performance.now();
    let isOver = false;
    while (!isOver) {
      const beganMs = performance.now();
      const found = await this.#look(id, watching);
      const now = performance.now();
      const isUnwanted = watching.waiting === 0 && now - watching.wantedMs > wantedForMs;
      const isSettled = found === 'checked' && this.#isSettled(id);
      isOver = found === 'gone' || isSettled || isUnwanted || this.#deps.shutdown.aborted;
      if (isOver) this.#watched.delete(id);
      const { looked } = watching;
      watching.looked = deferred();
      looked.resolve(found);
      if (!isOver) await this.#pause(watching, now - startMs, now - beganMs);
    }
  }

  /** Long after a check that costs much, unless a client waits. */
  async #pause(watching: Watching, elapsedMs: number, costMs: number): Promise<void> {
    const stepMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, pauseShare * elapsedMs));
    const endMs = performance.now() + pausePerCost * costMs;
    const { shutdown: signal } = this.#deps;
    do await delay(stepMs, undefined, { ref: false, signal }).catch(() => undefined);
    while (watching.waiting === 0 && performance.now() < endMs && !signal.aborted);
  }

  /** A check that fails changes nothing. Never rejects. */
  async #look(id: string, watching: Watching): Promise<Found> {
    const before = this.#readyOf(id);
    try {
      await this.#check.run(id, this.#seen.get(id), (lab) => this.#keep(id, lab));
      watching.failure = undefined;
    } catch (error) {
      if (error instanceof AppError && error.code === 'instance-not-found') {
        this.#seen.delete(id);
        return 'gone';
      }
      watching.failure = messageOf(error);
      return 'failed';
    }
    if (this.#readyOf(id) !== before) this.#changes += 1;
    return 'checked';
  }

  #keep(id: string, lab: SeenLab): void {
    this.#seen.set(id, lab);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > keptMost && oldest !== undefined) this.#seen.delete(oldest);
  }
}
