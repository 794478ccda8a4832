/** Job records as files: reads and writes them, and sorts out what is none. */
import { close, open, readFile } from 'node:fs';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { messageOf, systemCode } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { jobSchema, type Job } from './job.ts';
import { directoryMode, jobPaths, plainFileFlags, writeDurably } from './job-files.ts';

/** Where damaged records go, below the jobs directory. */
export const quarantineName = '.quarantine';

/** Directories of other names are not ours, and are left alone. */
const idPattern = /^job-\d+-[0-9a-f]{6}$/;

/** As many at once as keep the disk busy; a multiple of the threads that Node reads files with. */
const chunkLength = 64;
const reportEvery = 10_000;

// For small files half as expensive as those of node:fs/promises.
const [openFile, readOpen, closeFile] = [promisify(open), promisify(readFile), promisify(close)];

async function readText(file: string): Promise<string> {
  const descriptor = await openFile(file, plainFileFlags);
  try {
    return await readOpen(descriptor, 'utf8');
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

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** The records below a jobs directory. */
export class RecordFiles {
  readonly #directory: string;
  readonly #log: Logger;

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
    let content: string;
    try {
      content = await readText(record);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') return { kind: 'unreadable', error };
      return (await exists(directory))
        ? { kind: 'damaged', cause: 'the record is gone' }
        : { kind: 'missing' };
    }
    return parseRecord(id, content);
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
    const target = path.join(this.#directory, quarantineName, id);
    try {
      await rename(jobPaths(this.#directory, id).directory, target);
      this.#log.error('a job record is damaged and was set aside', { job: id, movedTo: target, cause });
    } catch (error) {
      this.#log.error('a damaged job record cannot be set aside', { job: id, cause: messageOf(error) });
    }
  }

  /** The ids of all jobs that there are, oldest first. */
  async ids(): Promise<string[]> {
    return (await readdir(this.#directory)).filter((name) => idPattern.test(name)).toSorted();
  }

  /** The sound ones of these records, in chunks. A damaged one is set aside and reported; it stops nothing. */
  async *load(ids: readonly string[]): AsyncGenerator<Job[]> {
    for (let start = 0; start < ids.length; start += chunkLength) {
      const chunk = ids.slice(start, start + chunkLength);
      const jobs = await Promise.all(chunk.map(async (id) => this.#loadOne(id)));
      yield jobs.filter((job) => job !== undefined);
      const read = start + chunk.length;
      if (Math.floor(read / reportEvery) > Math.floor(start / reportEvery))
        this.#log.info('job records are being read', { read, of: ids.length });
    }
  }

  async #loadOne(id: string): Promise<Job | undefined> {
    const reading = await this.read(id);
    switch (reading.kind) {
      case 'sound':
        return reading.job;
      case 'missing':
        return undefined;
      case 'unreadable':
        this.#log.error('a job record cannot be read', { job: id, cause: messageOf(reading.error) });
        return undefined;
      case 'damaged':
        if (await this.#wasNeverMade(id)) await this.#discard(id);
        else await this.setAside(id, reading.cause);
        return undefined;
    }
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
