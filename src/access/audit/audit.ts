/** The audit of changes and refusals, in the log of the service or in a file of its own. */
import { every } from '../../lib/async/disposal.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AuditEntry, AuditLog } from '../model/audit.ts';
import { AuditFile } from './audit-file.ts';
import { auditLine, type AuditLine } from './audit-line.ts';

const perAddress = 30;
const perInterval = 300;
const maxAddresses = 200;

/** Stands for all addresses beyond the limit. */
const others = '';

interface Uncounted {
  /** Undefined for the addresses beyond the limit. */
  readonly address: string | undefined;
  readonly count: number;
}

/**
 * Keeps a flood of refused requests from filling the disk. The first requests of each address get lines of their own, and the
 * rest is counted. The caller ends each interval.
 */
export class RefusalLimit {
  /** All refusals of this interval, by address. */
  readonly #counts = new Map<string, number>();
  /** The refusals without a line of their own, by address. */
  readonly #more = new Map<string, number>();
  #lines = 0;

  /** Whether a refused request of this address gets a line of its own. Otherwise it is counted. */
  admits(address: string): boolean {
    const isKnown = this.#counts.has(address) || this.#counts.size < maxAddresses;
    const key = isKnown ? address : others;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count <= perAddress && this.#lines < perInterval) {
      this.#lines += 1;
      return true;
    }
    this.#more.set(key, (this.#more.get(key) ?? 0) + 1);
    return false;
  }

  /** Ends the interval, and returns the counts. */
  take(): Uncounted[] {
    const more = [...this.#more].map(([key, count]) => ({
      address: key === others ? undefined : key,
      count,
    }));
    this.#counts.clear();
    this.#more.clear();
    this.#lines = 0;
    return more;
  }
}

const refusalIntervalMs = 60_000;

interface AuditDeps {
  /** If undefined, the lines go into the log of the service. */
  readonly auditFile: string | undefined;
  readonly log: Logger;
}

/**
 * Whether the request was refused. Clients without a login can send any number of such requests. A login at the identity provider
 * that fails sends the browser on to the page.
 */
const isRefusal = ({ status = 0, error }: AuditEntry): boolean =>
  status >= (error === undefined ? 400 : 300) && status < 500;

export class Audit implements AuditLog {
  readonly #deps: AuditDeps;
  readonly #refusals = new RefusalLimit();
  #file: AuditFile | undefined;
  #stopTimer = (): void => undefined;
  #diverted = 0;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
  }

  /** @throws Error with one sentence when the file cannot be written. */
  async open(): Promise<void> {
    const { auditFile: file, log } = this.#deps;
    const onRefused = (line: AuditLine): void => {
      this.#diverted += 1;
      this.#log(line);
    };
    if (file !== undefined) this.#file = await AuditFile.open({ file, log, onRefused });
    this.#stopTimer = every(refusalIntervalMs, () => this.#noteRefusals());
  }

  /** The fault of the file; null if it has none, undefined without a file. */
  get fault(): string | null | undefined {
    return this.#file?.fault;
  }

  /** The number of lines that the file has refused since the start. */
  get diverted(): number {
    return this.#diverted;
  }

  readonly note = (entry: AuditEntry): void => {
    if (isRefusal(entry) && !this.#refusals.admits(entry.address ?? 'unknown')) return;
    this.#write(auditLine(entry));
  };

  reopen(): void {
    this.#file?.reopen();
  }

  /** Resolves when each line is written. */
  async close(): Promise<void> {
    this.#stopTimer();
    this.#noteRefusals();
    await this.#file?.close();
  }

  #noteRefusals(): void {
    for (const { address, count } of this.#refusals.take())
      this.#write(auditLine({ event: 'more-refusals', ...(address !== undefined && { address }), count }));
  }

  #write(line: AuditLine): void {
    if (this.#file) this.#file.write(line);
    else this.#log(line);
  }

  #log({ time: _stampedByTheLog, ...fields }: AuditLine): void {
    this.#deps.log.info('audit', fields);
  }
}
