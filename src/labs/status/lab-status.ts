import { realpath } from 'node:fs/promises';
import { AppError } from '../../lib/app-error.ts';
import type { ErrorCode } from '../../lib/error-codes.ts';
import { oncePerTurn } from '../../lib/async/once-per-turn.ts';
import type { LabDriver } from '../drivers/lab-driver.ts';
import type { LabEntries, LabEntry, LabState, NodeState, StatusSource } from '../drivers/status-driver.ts';
import { stampOf } from '../../lib/files/file-stamp.ts';
import { LabsOfOtherCli, type BesideOthers } from './labs-of-other-cli.ts';
import { SharedResult } from './shared-result.ts';
import { unknownInstance } from '../drivers/status-failure.ts';

export type StatusFormat = 'json' | 'text';

export interface StatusDocument {
  /** Byte for byte what the lab CLI printed on standard output. */
  readonly body: Buffer;
  readonly format: StatusFormat;
  /** Milliseconds since the CLI printed it. */
  readonly ageMs: number;
}

/** The last known status of the labs, without a run of the lab CLI. */
export interface SeenLabs {
  /** When the list of all labs was printed, in ms since 1970. */
  readonly atMs: number;
  readonly labs: readonly LabState[];
  /** The labs that were requested by name: the list of all labs has no nodes. */
  readonly nodes: readonly NodeState[];
}

/** Told what the status costs and how it fails. */
export interface StatusObserver {
  /** A run of the lab CLI has ended, in whatever way. */
  readonly runEnded: (durationMs: number) => void;
  /** A status could not be read. */
  readonly failed: (code: ErrorCode) => void;
}

interface LabStatusOptions {
  /** The version of the lab CLI in use. */
  readonly driver: () => LabDriver;
  /** Runs the lab CLI to its end; must not throw for a failure of the CLI. */
  readonly runCli: StatusSource['run'];
  readonly maxAgeMs: number;
  /** The file in which the lab CLI that is in use now keeps its instances, resolved; undefined without a lab CLI. */
  readonly stateFile: () => string | undefined;
  /** Changes whenever a job starts or ends. */
  readonly epoch: () => number;
  readonly now?: () => number;
  readonly observer?: StatusObserver | undefined;
  /** Of one lab CLI among several. */
  readonly beside?: BesideOthers | undefined;
}

interface Freshness {
  readonly fresh: boolean;
}

export interface KnownLab {
  readonly id: string;
  /** The lab CLI that has it, as `GET /` calls it. */
  readonly cli: string;
  readonly directory: string | undefined;
  readonly entry: LabEntry;
}

interface AllLabs {
  readonly body: Buffer;
  readonly entries: LabEntries;
}

const looksMost = 5;

/**
 * The status of the labs as the lab CLI tells it, at a cost that does not grow with the number of those who ask.
 * Every method throws `lab-cli-failed` (with `extra.output`, the CLI's last lines) or `lab-cli-timeout`; about an
 * instance, `extra.lab` is then its entry in the list of all instances.
 */
export class LabStatus {
  readonly #options: LabStatusOptions;
  readonly #allJson: SharedResult<AllLabs>;
  readonly #allText: SharedResult<Buffer>;
  /** Hundreds may ask at the same time, and finding the file takes ten calls of the system. */
  readonly #stamp = oncePerTurn(() => stampOf(this.#options.stateFile()).stamp);
  readonly #instances = new Map<string, Record<StatusFormat, SharedResult<Buffer>>>();
  /** The last valid list of all labs. */
  #lastAll:
    | {
        readonly atMs: number;
        readonly labs: readonly LabState[];
        readonly entries: LabEntries;
        readonly version: string;
      }
    | undefined;
  /** By instance. */
  readonly #nodes = new Map<string, readonly NodeState[]>();
  readonly #elsewhere: LabsOfOtherCli;

  constructor(options: LabStatusOptions) {
    this.#options = options;
    this.#elsewhere = new LabsOfOtherCli(options.beside);
    this.#allJson = this.#shared(() => this.#produceAllJson());
    this.#allText = this.#shared(() => this.#driver.allText(this.#source));
  }

  /** Every lab instance. That there are none is a document too. */
  async all(format: StatusFormat, options: Freshness): Promise<StatusDocument> {
    const { value, ageMs } = await (format === 'text' ? this.#allText : this.#allJson).get(options);
    return { body: 'body' in value ? value.body : value, format, ageMs };
  }

  /**
   * One lab instance with its nodes; for a lab that is not up, its entry in the list of all. Throws
   * `instance-not-found`, which the (shared, kept) list of all decides: guessing names starts no run for each guess.
   */
  async instance(id: string, format: StatusFormat, options: Freshness): Promise<StatusDocument> {
    const entries = await this.entries(false);
    if (!entries.has(id)) throw unknownInstance(id);
    let shared = this.#instances.get(id);
    if (shared === undefined) {
      shared = {
        json: this.#shared(() => this.#produceInstanceJson(id)),
        text: this.#shared(() => this.#driver.instanceText(id, this.#source)),
      };
      this.#instances.set(id, shared);
    }
    const { value, ageMs } = await shared[format].get(options);
    return { body: value, format, ageMs };
  }

  /** The directory that the instance lives in; undefined when there is no such instance. */
  async directoryOf(instance: string): Promise<string | undefined> {
    const entry = (await this.entries(false)).get(instance);
    return entry && this.#driver.directoryOf(entry);
  }

  /** The instance that lives in `directory`, a real path; undefined when there is none. */
  async instanceIn(directory: string): Promise<string | undefined> {
    return (await this.labIn(directory))?.instance;
  }

  /** The same with what is known of it. */
  async labIn(
    directory: string,
  ): Promise<{ readonly instance: string; readonly entry: LabEntry } | undefined> {
    for (const [instance, entry] of await this.entries(false)) {
      const found = this.#driver.directoryOf(entry);
      if (found !== undefined && (await realpath(found).catch(() => found)) === directory)
        return { instance, entry };
    }
    return undefined;
  }

  /** The directories of all instances that tell theirs. */
  async directories(fresh: boolean): Promise<readonly string[]> {
    const entries = [...(await this.entries(fresh)).values()];
    return entries.flatMap((entry) => this.#driver.directoryOf(entry) ?? []);
  }

  /** Every instance by its id. */
  async entries(fresh: boolean): Promise<LabEntries> {
    return (await this.#allJson.get({ fresh })).value.entries;
  }

  /**
   * Every instance with its directory; the directory is undefined when the lab CLI does not tell it. `isHeld`: no job starts or
   * stops any, so that the last list counts until something is known to have changed, however old it is.
   */
  async list(fresh = false, isHeld = false): Promise<readonly KnownLab[]> {
    const last = isHeld && this.isLastRecent ? this.lastEntries : undefined;
    const entries = [...(last ?? (await this.entries(fresh)))];
    const { name: cli } = this.#options.driver();
    return entries.map(([id, entry]) => ({ id, cli, directory: this.#driver.directoryOf(entry), entry }));
  }

  /** Those that the last good list told of, and that another lab CLI of the service shows: by the id that they have here. */
  get elsewhere(): LabsOfOtherCli['known'] {
    return this.#elsewhere.known;
  }

  /** The identity of this start of a lab; undefined if the lab CLI does not report it. */
  startOf({ entry }: Pick<KnownLab, 'entry'>): ReturnType<LabDriver['status']['startOf']> {
    return this.#driver.startOf(entry);
  }

  /** The entries of nodes in the status of one lab, by name; undefined for a lab that is not up. */
  nodeEntriesOf(instanceJson: Buffer): ReturnType<LabDriver['status']['nodeEntriesOf']> {
    return this.#driver.nodeEntriesOf(instanceJson);
  }

  /** The document of some of the labs, in the shape of that of all. */
  documentOf(entries: LabEntries): ReturnType<LabDriver['status']['documentOf']> {
    return this.#driver.documentOf(entries);
  }

  /** Cheap to ask: changes when what is kept about the labs is out of date. */
  get version(): string {
    return [this.#options.epoch(), this.#stamp(), this.#elsewhere.version].join('/');
  }

  /** Of the lab CLI's own state alone. */
  get stamp(): string {
    return this.#stamp();
  }

  /** Costs nothing; undefined before the first list of all labs. */
  get lastSeen(): SeenLabs | undefined {
    if (this.#lastAll === undefined) return undefined;
    const { atMs, labs } = this.#lastAll;
    return { atMs, labs, nodes: [...this.#nodes.values()].flat() };
  }

  /** Every instance as the last good list of all told it; undefined before there was one. */
  get lastEntries(): LabEntries | undefined {
    return this.#lastAll?.entries;
  }

  /** Whether nothing is known to have changed since. */
  get isLastRecent(): boolean {
    return this.#lastAll?.version === this.version;
  }

  /** Looks until nothing is known to have changed since; while a lab goes, one change follows the other. Never rejects. */
  async catchUp(): Promise<void> {
    for (let looks = 0; looks < looksMost && !this.isLastRecent; looks += 1)
      await this.entries(false).catch(() => undefined);
  }

  /**
   * Renews `lastSeen` behind the scenes, when the list of all labs is older than that or a lab has changed since. It takes part
   * in the shared result, so that any number of calls costs one run.
   */
  refresh(olderThanMs: number): void {
    const { ageMs } = this.#allJson;
    if (ageMs !== undefined && ageMs <= olderThanMs) return;
    // The status reports the reason.
    this.#allJson.get({ fresh: false }).catch(() => undefined);
  }

  get #driver(): LabDriver['status'] {
    return this.#options.driver().status;
  }

  get #source(): StatusSource {
    return { run: this.#run, entries: async (fresh) => this.entries(fresh) };
  }

  #shared<T>(produce: () => Promise<T>): SharedResult<T> {
    const { maxAgeMs, now } = this.#options;
    return new SharedResult({
      produce: async () => this.#noteFailure(produce),
      fingerprint: () => this.version,
      maxAgeMs,
      ...(now && { now }),
    });
  }

  async #produceAllJson(): Promise<AllLabs> {
    const { version } = this;
    const all = await this.#elsewhere.without(async () => this.#driver.allJson(this.#run));
    // Labs come and go for as long as the service runs; what is kept about those that went must go too.
    for (const id of this.#instances.keys()) if (!all.entries.has(id)) this.#instances.delete(id);
    for (const id of this.#nodes.keys()) if (!all.entries.has(id)) this.#nodes.delete(id);
    const labs = [...all.entries.values()].map((entry) => this.#driver.stateOf(entry));
    this.#lastAll = { atMs: this.#now(), labs, entries: all.entries, version };
    return all;
  }

  async #produceInstanceJson(id: string): Promise<Buffer> {
    const body = await this.#driver.instanceJson(id, this.#source);
    this.#nodes.set(
      id,
      this.#driver.nodesOf(body, this.#now()).map(({ state }) => state),
    );
    return body;
  }

  readonly #run: StatusSource['run'] = async (args) => {
    const startedMs = performance.now();
    const result = await this.#options.runCli(args);
    this.#options.observer?.runEnded(performance.now() - startedMs);
    return result;
  };

  async #noteFailure<T>(produce: () => Promise<T>): Promise<T> {
    try {
      return await produce();
    } catch (error) {
      // A lab that was taken down meanwhile is not a failure.
      const code = error instanceof AppError ? error.code : 'internal';
      if (code !== 'instance-not-found') this.#options.observer?.failed(code);
      throw error;
    }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}
