/** The file of the audit. Lines are appended in their order, and no request waits for the disk. */
import { constants } from 'node:fs';
import { access, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { jsonLine } from '../../lib/text/harmless-text.ts';
import type { Logger } from '../../lib/logger.ts';
import { auditLine, type AuditLine } from './audit-line.ts';

/** Lines that may wait for a disk that hangs: some megabytes. */
const maxWaiting = 4_096;

// Without O_NONBLOCK, open(2) would wait until another process reads a pipe (fifo(7)).
const existing = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const flags = existing | constants.O_CREAT;

const notPlain = 'it is not a plain file';
const reasons: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link; name the file that it leads to',
  EISDIR: 'it is a directory',
  ENXIO: notPlain,
  ENOENT: 'its directory does not exist',
};

interface Opened {
  readonly handle: FileHandle;
  /** Whether the file ends in the middle of a line: the disk was full, or the machine went down. */
  isTorn: boolean;
}

function cannotWrite(file: string, error: unknown): Error {
  const why = reasons[systemCode(error) ?? ''] ?? messageOf(error);
  return new Error(`the audit file ${file} cannot be written: ${why}`, { cause: error });
}

/** @throws Error with one sentence. */
async function openFile(file: string, how = flags): Promise<Opened> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, how, 0o600);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error(notPlain);
    const last = stats.size === 0 ? '\n' : (await handle.read(Buffer.alloc(1), 0, 1, stats.size - 1)).buffer;
    return { handle, isTorn: last.toString() !== '\n' };
  } catch (error) {
    await handle?.close().catch(() => undefined);
    throw cannotWrite(file, error);
  }
}

/** Whether the file could be opened or made; it makes nothing. @throws Error with one sentence. */
export async function checkAuditFile(file: string): Promise<void> {
  try {
    const { handle } = await openFile(file, existing);
    await handle.close();
  } catch (error) {
    if (!(error instanceof Error) || systemCode(error.cause) !== 'ENOENT') throw error;
    await access(path.dirname(file), constants.W_OK | constants.X_OK).catch((denied: unknown) => {
      throw cannotWrite(file, denied);
    });
  }
}

export interface AuditFileDeps {
  readonly file: string;
  readonly log: Logger;
  /** Called with each line that the file does not take. */
  readonly onRefused: (line: AuditLine) => void;
}

export class AuditFile {
  readonly #deps: AuditFileDeps;
  #opened: Opened;
  #waiting: (AuditLine | 'reopen')[] = [];
  #working: Promise<void> | undefined;
  /** The number of lines that the file has refused since it last took one. */
  #missing = 0;
  #fault: string | null = null;

  private constructor(deps: AuditFileDeps, opened: Opened) {
    this.#deps = deps;
    this.#opened = opened;
  }

  /** Makes the file (0600), or appends to the existing one. @throws Error with one sentence. */
  static async open(deps: AuditFileDeps): Promise<AuditFile> {
    return new AuditFile(deps, await openFile(deps.file));
  }

  /** The present fault of the file; null while it takes lines. */
  get fault(): string | null {
    return this.#fault;
  }

  write(line: AuditLine): void {
    if (this.#waiting.length >= maxWaiting) this.#refuse(line, 'the disk takes no lines, or too slowly');
    else this.#add(line);
  }

  /** For logrotate, which has moved the file away: makes a new file, after all lines that are still to be written to the old one. */
  reopen(): void {
    this.#add('reopen');
  }

  /** Resolves when each line is written or refused. */
  async close(): Promise<void> {
    await this.#working;
    await this.#opened.handle.close();
  }

  #add(task: AuditLine | 'reopen'): void {
    this.#waiting.push(task);
    this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const tasks = this.#waiting;
      this.#waiting = [];
      for (const task of tasks) {
        if (task === 'reopen') await this.#reopen();
        else await this.#take(task);
      }
    }
  }

  async #take(line: AuditLine): Promise<void> {
    try {
      if (this.#missing > 0) {
        await this.#append(auditLine({ event: 'gap', count: this.#missing }));
        this.#recover();
      }
      await this.#append(line);
    } catch (error) {
      this.#refuse(line, messageOf(error));
    }
  }

  /** Needs one write(2) for each line, unless the disk gets full within it. */
  async #append(line: AuditLine): Promise<void> {
    const opened = this.#opened;
    const bytes = Buffer.from(`${opened.isTorn ? '\n' : ''}${jsonLine(line)}`);
    let written = 0;
    try {
      while (written < bytes.length) written += (await opened.handle.write(bytes, written)).bytesWritten;
      opened.isTorn = false;
    } catch (error) {
      opened.isTorn ||= written > 0;
      throw error;
    }
  }

  #refuse(line: AuditLine, cause: string): void {
    const { file, log, onRefused } = this.#deps;
    this.#missing += 1;
    if (this.#fault === null)
      log.error('the audit file takes no lines: they go into this log until it does', { file, cause });
    this.#fault = `${file} takes no lines: ${cause}`;
    onRefused(line);
  }

  #recover(): void {
    const { file, log } = this.#deps;
    log.info('the audit file takes lines again', { file, missing: this.#missing });
    this.#missing = 0;
    this.#fault = null;
  }

  async #reopen(): Promise<void> {
    const { file, log } = this.#deps;
    try {
      const { handle: old } = this.#opened;
      this.#opened = await openFile(file);
      await old.close().catch(() => undefined);
      log.info('the audit file was opened anew', { file });
    } catch (error) {
      log.error('the audit file cannot be opened anew: the one that was open is written on', {
        cause: messageOf(error),
      });
    }
  }
}
