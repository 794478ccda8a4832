/** Job records as files: reads and writes them, and sorts out what is none. */
import { close, open, read as readDescriptor } from 'node:fs';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { jobIdPattern, jobSchema, type Job } from '../model/job.ts';
import { directoryMode, jobPaths, plainFileFlags, writeDurably } from './job-files.ts';

/** Where damaged records go, below the jobs directory. */
const quarantineName = '.quarantine';

/** What rename(2) says of a name that another directory has. */
const takenCodes = new Set(['ENOTEMPTY', 'EEXIST']);

/** As many at once as keep the disk busy; a multiple of the threads that Node reads files with. */
const chunkLength = 64;
const reportEvery = 10_000;

const passingCodes = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO']);
const mostTries = 3;
const retryPauseMs = 100;

/** Enough for nearly every record. */
const readBytes = 16 * 1024;

// The calls of node:fs rather than those of node:fs/promises, and no question for the size: a third less for small files.
const [openFile, readSome, closeFile] = [promisify(open), promisify(readDescriptor), promisify(close)];

async function readText(file: string): Promise<string> {
  const descriptor = await openFile(file, plainFileFlags);
  try {
    const parts: Buffer[] = [];
    for (;;) {
      const { bytesRead, buffer } = await readSome(
        descriptor,
        Buffer.allocUnsafe(readBytes),
        0,
        readBytes,
        null,
      );
      parts.push(buffer.subarray(0, bytesRead));
      if (bytesRead < readBytes) return Buffer.concat(parts).toString('utf8');
    }
  } finally {
    await closeFile(descriptor);
  }
}

export type RecordReading =
  | { readonly kind: 'sound'; readonly job: Job }
  | { readonly kind: 'damaged'; readonly cause: string }
  | { readonly kind: 'missing' }
  /** The disk fails just now: that says nothing of the record. */
  | { readonly kind: 'unreadable'; readonly error: unknown };

function parseRecord(id: string, content: string): RecordReading {
  try {
    const job = jobSchema.parse(JSON.parse(content));
    return job.id === id
      ? { kind: 'sound', job }
      : { kind: 'damaged', cause: `the record belongs to ${job.id}` };
  } catch (error) {
    return { kind: 'damaged', cause: messageOf(error) };
  }
}

/** @throws Error when the system cannot tell at the moment. */
async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

/** The records below a jobs directory. */
export class RecordFiles {
  readonly #directory: string;
  readonly #log: Logger;
  readonly #unreadable = new Map<string, string>();
  #isLoadingAgain = false;

  constructor(directory: string, log: Logger) {
    this.#directory = directory;
    this.#log = log;
  }

  async prepare(): Promise<void> {
    await mkdir(path.join(this.#directory, quarantineName), { recursive: true, mode: directoryMode });
  }

  /** Never rejects. */
  async read(id: string): Promise<RecordReading> {
    const { directory, record } = jobPaths(this.#directory, id);
    try {
      return parseRecord(id, await readText(record));
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EISDIR') return { kind: 'damaged', cause: 'the record is a directory' };
      if (code !== 'ENOENT') return { kind: 'unreadable', error };
      return this.#whyAbsent(directory).catch((unclear: unknown) => ({ kind: 'unreadable', error: unclear }));
    }
  }

  async #whyAbsent(directory: string): Promise<RecordReading> {
    if (await exists(directory)) return { kind: 'damaged', cause: 'the record is gone' };
    // A disk that is not mounted just now has no records either: that is not the removal of a job.
    if (await exists(this.#directory)) return { kind: 'missing' };
    return { kind: 'unreadable', error: new Error('the jobs directory is not there') };
  }

  /** Replaces the record; it is on disk for good when this resolves. @throws Error when the disk refuses. */
  async write(job: Job): Promise<void> {
    const { directory, record } = jobPaths(this.#directory, job.id);
    const content = `${JSON.stringify(job, null, 2)}\n`;
    await writeDurably(record, content).catch(async (error: unknown) => {
      // Somebody removed the directory of a job that is not finished: its record is worth a new one.
      if (systemCode(error) !== 'ENOENT') throw error;
      await mkdir(directory, { mode: directoryMode });
      await writeDurably(record, content);
    });
  }

  /** Moves a job with a damaged record out of the way, and reports it. Never rejects. */
  async setAside(id: string, cause: string): Promise<void> {
    try {
      const movedTo = await this.#quarantine(id);
      this.#log.error('a job record is damaged and was set aside', { job: id, movedTo, cause });
    } catch (error) {
      this.#log.error('a damaged job record cannot be set aside', { job: id, cause: messageOf(error) });
    }
  }

  /** Where it is now. A copy that somebody put back may be damaged again: its name is taken by the first one then. */
  async #quarantine(id: string): Promise<string> {
    for (let copy = 1; ; copy += 1) {
      const name = copy === 1 ? id : `${id}.${copy}`;
      const target = path.join(this.#directory, quarantineName, name);
      try {
        await rename(jobPaths(this.#directory, id).directory, target);
        return target;
      } catch (error) {
        if (!takenCodes.has(systemCode(error) ?? '')) throw error;
      }
    }
  }

  /** Ids of the jobs whose records were set aside. @throws Error when the disk refuses. */
  async quarantined(): Promise<string[]> {
    const names = await readdir(path.join(this.#directory, quarantineName));
    return names.map((name) => name.replace(/\.\d+$/, ''));
  }

  /** The ids of all jobs that there are, oldest first. Directories of other names are not ours, and are left alone. */
  async ids(): Promise<string[]> {
    const entries = await readdir(this.#directory, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isFile() && jobIdPattern.test(entry.name))
      .map(({ name }) => name)
      .toSorted();
  }

  /** Why records cannot be read, by id, as `load` found it; it may be asked for them again. */
  get unreadable(): ReadonlyMap<string, string> {
    return this.#unreadable;
  }

  /** One sentence about them; null when there are none. */
  get fault(): string | null {
    const [first] = this.#unreadable;
    if (!first) return null;
    const [id, cause] = first;
    const others = this.#unreadable.size > 1 ? ` and ${this.#unreadable.size - 1} more` : '';
    return `the record of ${id}${others} cannot be read, so nobody knows whether a directory is taken: ${cause}`;
  }

  /** Like `load`, of those that were unreadable; none while this is under way already. */
  async *loadUnreadable(): AsyncGenerator<Job[]> {
    if (this.#isLoadingAgain) return;
    this.#isLoadingAgain = true;
    try {
      yield* this.load([...this.#unreadable.keys()]);
    } finally {
      this.#isLoadingAgain = false;
    }
  }

  /**
   * The sound ones of these records, in chunks. A damaged one is set aside and reported, one that the disk does not give
   * is noted as `unreadable` and reported; neither stops anything.
   */
  async *load(ids: readonly string[]): AsyncGenerator<Job[]> {
    for (let start = 0; start < ids.length; start += chunkLength) {
      const chunk = ids.slice(start, start + chunkLength);
      const readings = await Promise.all(chunk.map(async (id) => ({ id, reading: await this.#loadOne(id) })));
      yield readings.flatMap(({ reading }) => (reading.kind === 'sound' ? [reading.job] : []));
      // Not before the caller knows them: a job must not be unknown in between.
      for (const { id, reading } of readings) if (reading.kind !== 'unreadable') this.#unreadable.delete(id);
      const read = start + chunk.length;
      if (Math.floor(read / reportEvery) > Math.floor(start / reportEvery))
        this.#log.info('job records are being read', { read, of: ids.length });
    }
  }

  async #loadOne(id: string): Promise<RecordReading> {
    const reading = await this.#readPatiently(id);
    if (reading.kind === 'unreadable') this.#noteUnreadable(id, messageOf(reading.error));
    if (reading.kind !== 'damaged') return reading;
    const isRubbish = await this.#wasNeverMade(id).catch(() => false);
    if (isRubbish) await this.#discard(id);
    else await this.setAside(id, reading.cause);
    return reading;
  }

  /** Errors that pass soon are not worth the trouble that an unknown job makes. */
  async #readPatiently(id: string): Promise<RecordReading> {
    for (let tries = 1; ; tries += 1) {
      const reading = await this.read(id);
      const mayPass = reading.kind === 'unreadable' && passingCodes.has(systemCode(reading.error) ?? '');
      if (!mayPass || tries === mostTries) return reading;
      await delay(retryPauseMs);
    }
  }

  #noteUnreadable(id: string, cause: string): void {
    // Tried again every few seconds: once in the log is enough.
    if (this.#unreadable.get(id) !== cause)
      this.#log.error('a job record cannot be read', { job: id, cause });
    this.#unreadable.set(id, cause);
  }

  /** Without a record and a process, nobody was ever told of the job: the service ended while it was making it. */
  async #wasNeverMade(id: string): Promise<boolean> {
    const { record, process } = jobPaths(this.#directory, id);
    return !(await exists(record)) && !(await exists(process));
  }

  async #discard(id: string): Promise<void> {
    await rm(jobPaths(this.#directory, id).directory, { recursive: true, force: true }).catch(
      (error: unknown) => {
        const cause = messageOf(error);
        this.#log.error('a directory without a job record cannot be removed', { job: id, cause });
      },
    );
  }
}
