import { statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { oncePerTurn } from '../../lib/once-per-turn.ts';
import type { LabDriver, LabEntries, StatusSource } from '../drivers/lab-driver.ts';
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

interface LabStatusOptions {
  /** That of the lab CLI that is in use now. */
  readonly driver: () => LabDriver;
  /** Runs the lab CLI to its end; must not throw for a failure of the CLI. */
  readonly runCli: StatusSource['run'];
  readonly maxAgeMs: number;
  /** The file in which the lab CLI that is in use now keeps its instances, resolved; undefined without a lab CLI. */
  readonly stateFile: () => string | undefined;
  /** Changes whenever a job starts or ends. */
  readonly epoch: () => number;
  readonly now?: () => number;
}

interface Freshness {
  readonly fresh: boolean;
}

interface AllLabs {
  readonly body: Buffer;
  readonly entries: LabEntries;
}

function stampOf(file: string | undefined): string {
  if (file === undefined) return 'none';
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true });
    return `${mtimeNs}:${size}:${ino}:${file}`;
  } catch {
    return `missing:${file}`;
  }
}

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
  readonly #stamp = oncePerTurn(() => stampOf(this.#options.stateFile()));
  readonly #instances = new Map<string, Record<StatusFormat, SharedResult<Buffer>>>();

  constructor(options: LabStatusOptions) {
    this.#options = options;
    this.#allJson = this.#shared(() => this.#produceAllJson());
    this.#allText = this.#shared(() => this.#driver.allText(this.#source));
  }

  /** Every lab instance. That there are none is a document too. */
  async all(format: StatusFormat, options: Freshness): Promise<StatusDocument> {
    if (format === 'text') {
      const { value, ageMs } = await this.#allText.get(options);
      return { body: value, format, ageMs };
    }
    const { value, ageMs } = await this.#allJson.get(options);
    return { body: value.body, format, ageMs };
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
        json: this.#shared(() => this.#driver.instanceJson(id, this.#source)),
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
    for (const [id, entry] of await this.entries(false)) {
      const found = this.#driver.directoryOf(entry);
      if (found !== undefined && (await realpath(found).catch(() => found)) === directory) return id;
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

  get #driver(): LabDriver['status'] {
    return this.#options.driver().status;
  }

  get #source(): StatusSource {
    return { run: this.#options.runCli, entries: async (fresh) => this.entries(fresh) };
  }

  #shared<T>(produce: () => Promise<T>): SharedResult<T> {
    const { maxAgeMs, epoch, now } = this.#options;
    const fingerprint = (): string => `${epoch()}/${this.#stamp()}`;
    return new SharedResult({ produce, fingerprint, maxAgeMs, ...(now && { now }) });
  }

  async #produceAllJson(): Promise<AllLabs> {
    const all = await this.#driver.allJson(this.#options.runCli);
    // Labs come and go for as long as the service runs; what is kept about those that went must go too.
    for (const id of this.#instances.keys()) if (!all.entries.has(id)) this.#instances.delete(id);
    return all;
  }
}
