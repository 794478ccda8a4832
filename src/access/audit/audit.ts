/** Who has changed what, and who was refused: into the service's log, or into a file of its own. */
import { every } from '../../lib/async/disposal.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AuditEntry, AuditLog } from '../model/audit.ts';
import { AuditFile } from './audit-file.ts';
import { auditLine, type AuditLine } from './audit-line.ts';
import { RefusalLimit } from './refusal-limit.ts';

const refusalIntervalMs = 60_000;

interface AuditDeps {
  /** Undefined: the lines go into the service's log. */
  readonly auditFile: string | undefined;
  readonly log: Logger;
}

/** Whether it changed nothing: of those, anybody can send any number. */
const isRefusal = ({ status = 0 }: AuditEntry): boolean => status >= 400 && status < 500;

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

  /** What is wrong with the file; null when nothing is, undefined when there is none. */
  get fault(): string | null | undefined {
    return this.#file?.fault;
  }

  /** How many lines the file did not take since the start. */
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

  /** Resolves when every line is written. */
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
