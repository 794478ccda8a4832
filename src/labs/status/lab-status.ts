import { statSync } from 'node:fs';
import { AppError } from '../../lib/app-error.ts';
import type { RunResult } from '../run.ts';
import { SharedResult } from './shared-result.ts';
import { entriesOf, parseStatus, ranToItsEnd, statusFailure } from '../drivers/netlab/status-document.ts';
import type { LabEntry } from '../drivers/netlab/status-document.ts';

export type StatusFormat = 'json' | 'text';

export interface StatusDocument {
  /** Byte for byte what the lab CLI printed on standard output. */
  readonly body: Buffer;
  readonly format: StatusFormat;
  /** Milliseconds since the CLI printed it. */
  readonly ageMs: number;
}

interface LabStatusOptions {
  /** Runs the lab CLI to its end; must not throw for a failure of the CLI. */
  readonly runCli: (args: readonly string[]) => Promise<RunResult>;
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
  readonly entries: ReadonlyMap<string, LabEntry>;
}

const noEntries: ReadonlyMap<string, LabEntry> = new Map();

/** netlab rewrites its state file in place (netsim/utils/status.py): a reader may meet half of it. */
const tornStateFile = 'Cannot read lab status file';

function stampOf(file: string | undefined): string {
  if (file === undefined) return 'none';
  try {
    const { mtimeNs, size, ino } = statSync(file, { bigint: true });
    return `${mtimeNs}:${size}:${ino}:${file}`;
  } catch {
    return `missing:${file}`;
  }
}

function unknownInstance(id: string): AppError {
  return new AppError(
    'instance-not-found',
    `There is no lab instance "${id}"; GET /status lists those there are`,
  );
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
  readonly #instances = new Map<string, Record<StatusFormat, SharedResult<Buffer>>>();

  constructor(options: LabStatusOptions) {
    this.#options = options;
    this.#allJson = this.#shared(() => this.#produceAllJson());
    this.#allText = this.#shared(() => this.#produceAllText());
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
        json: this.#shared(() => this.#produceInstance(id, 'json')),
        text: this.#shared(() => this.#produceInstance(id, 'text')),
      };
      this.#instances.set(id, shared);
    }
    const { value, ageMs } = await shared[format].get(options);
    return { body: value, format, ageMs };
  }

  /** The directory that the instance lives in; undefined when there is no such instance. */
  async directoryOf(instance: string): Promise<string | undefined> {
    const directory = (await this.entries(false)).get(instance)?.['dir'];
    return typeof directory === 'string' && directory !== '' ? directory : undefined;
  }

  /** Every instance by its id. */
  async entries(fresh: boolean): Promise<ReadonlyMap<string, LabEntry>> {
    return (await this.#allJson.get({ fresh })).value.entries;
  }

  #shared<T>(produce: () => Promise<T>): SharedResult<T> {
    const { maxAgeMs, stateFile, epoch, now } = this.#options;
    const fingerprint = (): string => `${epoch()}/${stampOf(stateFile())}`;
    return new SharedResult({ produce, fingerprint, maxAgeMs, ...(now && { now }) });
  }

  async #run(args: readonly string[]): Promise<RunResult> {
    const result = await this.#options.runCli(args);
    const isTorn = result.stderr.includes(tornStateFile) || result.stdout.includes(tornStateFile);
    return isTorn ? this.#options.runCli(args) : result;
  }

  async #produceAllJson(): Promise<AllLabs> {
    const result = await this.#run(['status', '--all', '--format', 'json']);
    const status = parseStatus(result);
    if (status.kind === 'error' || status.kind === 'unusable') throw statusFailure(result);
    const entries = status.kind === 'warning' ? noEntries : entriesOf(status.value);
    // Labs come and go for as long as the service runs; what is kept about those that went must go too.
    for (const id of this.#instances.keys()) if (!entries.has(id)) this.#instances.delete(id);
    return { body: result.stdout, entries };
  }

  async #produceAllText(): Promise<Buffer> {
    const result = await this.#run(['status', '--all']);
    if (result.exitCode === 0 && ranToItsEnd(result)) return result.stdout;
    if (!ranToItsEnd(result)) throw statusFailure(result);
    // "No netlab-managed labs" exits with 1, like a failure does. The JSON form tells the two apart.
    const entries = await this.entries(false);
    if (entries.size > 0) throw statusFailure(result);
    return result.stdout;
  }

  async #produceInstance(id: string, format: StatusFormat): Promise<Buffer> {
    const formatArguments = format === 'json' ? ['--format', 'json'] : [];
    const result = await this.#run(['status', '--instance', id, ...formatArguments]);
    if (format === 'json') return this.#instanceJson(id, result);
    // For a lab that is not up, the text form prints the lab's event log and exits with 0: a sensible answer.
    if (result.exitCode === 0 && ranToItsEnd(result)) return result.stdout;
    return this.#instanceFailed(id, result);
  }

  async #instanceJson(id: string, result: RunResult): Promise<Buffer> {
    const status = parseStatus(result);
    if (status.kind === 'document') return result.stdout;
    const isNotStarted = status.kind === 'error' && status.message.startsWith('Lab is not started');
    const entry = isNotStarted ? (await this.entries(false)).get(id) : undefined;
    return entry === undefined
      ? this.#instanceFailed(id, result)
      : Buffer.from(`${JSON.stringify(entry, null, 2)}\n`);
  }

  /** The lab may have gone while we asked: that is "not found", not a failure of the CLI. */
  async #instanceFailed(id: string, result: RunResult): Promise<never> {
    const entries = await this.entries(ranToItsEnd(result)).catch(() => undefined);
    if (entries === undefined || !ranToItsEnd(result)) throw statusFailure(result, entries?.get(id));
    const lab = entries.get(id);
    throw lab === undefined ? unknownInstance(id) : statusFailure(result, lab);
  }
}
