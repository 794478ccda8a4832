/** The labs in words that all lab CLIs share, with their nodes: from the same kept documents that `GET /status` serves. */
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../lib/app-error.ts';
import { mapBounded } from '../../lib/async/map-bounded.ts';
import { unknownInstance } from '../drivers/status-failure.ts';
import type { LabDriver } from '../drivers/lab-driver.ts';
import type { LabRuntime } from '../drivers/runtimes-driver.ts';
import type { LabEntry, LabState, NodeStatus, RoughTime } from '../drivers/status-driver.ts';
import type { LabStatus } from './lab-status.ts';
import { nodesThere, type NodesThere, type NodesThereDeps } from './nodes-there.ts';
import { SharedResult } from './shared-result.ts';

export interface ListedNode extends Omit<NodeStatus, 'since' | 'container'> {
  /** When it came up, in ms since 1970, about: the lab CLI may round it. */
  readonly sinceMs: number | null;
  /** The name of the Docker container that it is; null for any other node. */
  readonly container: string | null;
}

/** A lab with its nodes, in words that all lab CLIs share. */
export interface ListedLab {
  readonly id: string;
  /** The lab CLI that has it, as `GET /` calls it. */
  readonly cli: string;
  readonly name: string | null;
  readonly state: LabState;
  /** Where it lives; null when the lab CLI does not tell. */
  readonly workdir: string | null;
  /** None as long as the lab CLI tells none: while the lab starts or stops, or when it fails. */
  readonly nodes: readonly ListedNode[];
  /** Why the nodes are unknown, or which of them are not as they should be. */
  readonly problem: string | null;
  readonly provider: string | null;
  /** Where its containers run; null when that is unknown, or it has none. */
  readonly runtime: LabRuntime | null;
  readonly startedAtMs: number | null;
  /** The status in the format of the lab CLI. */
  readonly entry: LabEntry;
}

export interface Aged<T> {
  readonly value: T;
  /** Milliseconds since it was made. */
  readonly ageMs: number;
}

interface LabListDeps {
  readonly status: Pick<LabStatus, 'entries' | 'instance' | 'version'>;
  /** The version of the lab CLI in use. */
  readonly driver: () => LabDriver;
  readonly maxAgeMs: number;
  readonly there: Omit<NodesThereDeps, 'tellsOnlyThose'>;
  readonly now?: () => number;
}

interface KeptNodes {
  /** The entry of the lab as it was when the lab CLI was asked. */
  readonly entry: LabEntry;
  readonly atMs: number;
  readonly tookMs: number;
  readonly nodes: readonly NodeStatus[];
  readonly problem: string | null;
  /** The document that they are from; undefined when there was none. */
  readonly document: Buffer | undefined;
  /** Found when a client asked for this lab alone. */
  readonly there: SharedResult<NodesThere | undefined>;
}

/** A lab costs one run of the lab CLI, of a second or many: with more at a time, jobs would wait. */
const runsAtOnce = 2;
/** The nodes of a lab in the list of all may be so many times as old as it took to ask for them. */
const agePerCost = 10;

/** `Up 4 seconds`, then `Up About a minute`: what was said first is the most exact, as long as what is said later fits it. */
function steadySince(before: RoughTime | null, now: RoughTime | null): RoughTime | null {
  if (before === null || now === null || before.withinMs > now.withinMs) return now;
  return Math.abs(before.atMs - now.atMs) <= now.withinMs + before.withinMs ? before : now;
}

export class LabList {
  readonly #deps: LabListDeps;
  readonly #all: SharedResult<readonly ListedLab[]>;
  /** The same for those who want nothing that is kept. */
  readonly #allFresh: SharedResult<readonly ListedLab[]>;
  /** By instance. */
  readonly #kept = new Map<string, KeptNodes>();
  #last: { readonly value: readonly ListedLab[]; readonly atMs: number } | undefined;

  constructor(deps: LabListDeps) {
    this.#deps = deps;
    this.#all = this.#shared(false);
    this.#allFresh = this.#shared(true);
  }

  /**
   * All labs. The nodes of changed labs are read again; the nodes of the others may be older than the list, so that a server
   * with many labs is not busy with reading them. Throws as `LabStatus.all`.
   */
  async all({ fresh }: { readonly fresh: boolean }): Promise<Aged<readonly ListedLab[]>> {
    return (fresh ? this.#allFresh : this.#all).get({ fresh });
  }

  /** The last good list, without a run; undefined before there was one. */
  get last(): Aged<readonly ListedLab[]> | undefined {
    return this.#last && { value: this.#last.value, ageMs: Math.max(0, this.#now() - this.#last.atMs) };
  }

  /** One lab, from the document that `LabStatus.instance` serves. Throws `instance-not-found`, or as `LabStatus.all`. */
  async one(id: string, { fresh }: { readonly fresh: boolean }): Promise<Aged<ListedLab>> {
    const entry = (await this.#deps.status.entries(fresh)).get(id);
    if (entry === undefined) throw unknownInstance(id);
    const { atMs, there } = await this.#ask(id, entry, fresh);
    const { value } = await there.get({ fresh });
    return { value: this.#labOf(id, entry, value), ageMs: Math.max(0, this.#now() - atMs) };
  }

  #shared(fresh: boolean): SharedResult<readonly ListedLab[]> {
    const { status, maxAgeMs, now } = this.#deps;
    return new SharedResult({
      produce: async () => this.#produceAll(fresh),
      fingerprint: () => status.version,
      maxAgeMs,
      ...(now && { now }),
    });
  }

  async #produceAll(fresh: boolean): Promise<readonly ListedLab[]> {
    const entries = await this.#deps.status.entries(fresh);
    for (const id of this.#kept.keys()) if (!entries.has(id)) this.#kept.delete(id);
    const asked = await mapBounded([...entries], runsAtOnce, async ([id, entry]) => {
      const isKept = !fresh && this.#isRecent(id, entry);
      const isListed = isKept || (await this.#askUnlessGone(id, entry, fresh));
      return isListed ? [[id, entry] as const] : [];
    });
    const labs = asked.flat();
    const there = await this.#look(labs.map(([id]) => id));
    const value = labs.map(([id, entry]) => this.#labOf(id, entry, there.get(id)));
    this.#last = { value, atMs: this.#now() };
    return value;
  }

  async #look(ids: readonly string[]): Promise<ReadonlyMap<string, NodesThere>> {
    const { driver, there } = this.#deps;
    const { unlistedNodes, tellsOnlyNodesThere } = driver().status;
    const labs = await mapBounded(ids, runsAtOnce, async (id) => {
      const { nodes = [], entry } = this.#kept.get(id) ?? {};
      const isAsked = nodes.length === 0 && entry !== undefined;
      return { id, nodes: isAsked ? ((await unlistedNodes?.(entry, there.look)) ?? []) : nodes };
    });
    return nodesThere(labs, { ...there, tellsOnlyThose: tellsOnlyNodesThere === true });
  }

  #isRecent(id: string, entry: LabEntry): boolean {
    const kept = this.#kept.get(id);
    if (kept === undefined || !isDeepStrictEqual(kept.entry, entry)) return false;
    return this.#now() - kept.atMs <= Math.max(this.#deps.maxAgeMs, agePerCost * kept.tookMs);
  }

  /** Whether the lab still exists: it may have been taken down after the list was read. */
  async #askUnlessGone(id: string, entry: LabEntry, fresh: boolean): Promise<boolean> {
    try {
      await this.#ask(id, entry, fresh);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'instance-not-found') return false;
      throw error;
    }
  }

  /** That the lab CLI cannot tell the nodes of one lab must not hide that lab, and none of the others. */
  async #ask(id: string, entry: LabEntry, fresh: boolean): Promise<KeptNodes> {
    const startMs = this.#now();
    const told = await this.#nodesOf(id, fresh);
    const last = this.#kept.get(id);
    const before = new Map(last?.nodes.map(({ name, since }) => [name, since]));
    const nodes = told.nodes.map((node) => {
      return { ...node, since: steadySince(before.get(node.name) ?? null, node.since) };
    });
    const now = this.#now();
    const tookMs = now - startMs;
    // The same document serves any number of clients, and so does one look at what is there.
    const isSame = last !== undefined && told.document !== undefined && last.document === told.document;
    const there = isSame ? last.there : this.#lookShared(id);
    const kept = { ...told, nodes, entry, atMs: now - told.ageMs, tookMs, there };
    this.#kept.set(id, kept);
    return kept;
  }

  #lookShared(id: string): KeptNodes['there'] {
    const { status, maxAgeMs, now } = this.#deps;
    return new SharedResult({
      produce: async () => (await this.#look([id])).get(id),
      fingerprint: () => status.version,
      maxAgeMs,
      ...(now && { now }),
    });
  }

  async #nodesOf(id: string, fresh: boolean) {
    try {
      const { body, ageMs } = await this.#deps.status.instance(id, 'json', { fresh });
      const nodes = this.#deps.driver().status.nodesOf(body, this.#now() - ageMs);
      return { nodes, problem: null, ageMs, document: body };
    } catch (error) {
      const isTold =
        error instanceof AppError && (error.code === 'lab-cli-failed' || error.code === 'lab-cli-timeout');
      if (isTold) return { nodes: [], problem: error.message, ageMs: 0, document: undefined };
      throw error;
    }
  }

  #labOf(id: string, entry: LabEntry, there: NodesThere | undefined): ListedLab {
    const { status, name: cli, runtimes } = this.#deps.driver();
    const { problem = null } = this.#kept.get(id) ?? {};
    const told = status.stateOf(entry);
    const isGone = told === 'started' && there?.isGone === true;
    // Of a lab that stops, nodes go one after the other.
    const found = told === 'stopping' ? null : there?.problem;
    return {
      id,
      cli,
      ...status.summaryOf(entry),
      runtime: runtimes?.of(entry) ?? null,
      state: isGone ? 'missing' : told,
      workdir: status.directoryOf(entry) ?? null,
      nodes: (there?.nodes ?? []).map(({ since, container, ...node }) => ({
        ...node,
        container: container?.name ?? null,
        sinceMs: since?.atMs ?? null,
      })),
      problem: problem ?? found ?? status.problemOf?.(entry) ?? null,
      entry,
    };
  }

  #now(): number {
    return (this.#deps.now ?? Date.now)();
  }
}
