/** Reads many job records at a start. One that the disk does not give is remembered, and may be asked for again later. */
import { readdir, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../lib/app-error.ts';
import { exists } from '../../lib/files/exists.ts';
import type { Logger } from '../../lib/logger.ts';
import { isTransient } from '../../lib/is-transient.ts';
import { jobIdPattern, type Job } from '../model/job.ts';
import { jobPaths } from './job-files.ts';
import type { Quarantine } from './quarantine.ts';
import type { RecordFiles, RecordReading } from './record-files.ts';

/** As many at once as keep the disk busy; a multiple of the threads that Node reads files with. */
const chunkLength = 64;
const reportEvery = 10_000;

const mostTries = 3;
const pauseMs = 100;

interface RecordLoaderDeps {
  /** The jobs directory. */
  readonly directory: string;
  readonly records: RecordFiles;
  readonly quarantine: Quarantine;
  readonly log: Logger;
}

export class RecordLoader {
  readonly #deps: RecordLoaderDeps;
  readonly #unreadable = new Map<string, string>();
  #isLoadingAgain = false;

  constructor(deps: RecordLoaderDeps) {
    this.#deps = deps;
  }

  /** The ids of all jobs that there are, oldest first. Directories of other names are not ours, and are left alone. */
  async ids(): Promise<string[]> {
    const entries = await readdir(this.#deps.directory, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isFile() && jobIdPattern.test(entry.name))
      .map(({ name }) => name)
      .toSorted();
  }

  /** By id, why a record could not be read when it was last tried. */
  get unreadable(): ReadonlyMap<string, string> {
    return this.#unreadable;
  }

  /** One sentence about the unreadable ones; null when there are none. */
  get fault(): string | null {
    // Several are read at a time, and any may fail first: the oldest is named.
    const [first] = [...this.#unreadable].toSorted(([one], [other]) => (one < other ? -1 : 1));
    if (!first) return null;
    const [id, cause] = first;
    const others = this.#unreadable.size > 1 ? ` and ${this.#unreadable.size - 1} more` : '';
    return `the record of ${id}${others} cannot be read, so it is unknown whether a directory is in use: ${cause}`;
  }

  /** Like `load`, of the unreadable ones; gives nothing while an earlier call is still under way. */
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
      // Only now that the caller has taken them: in between, a job must not be unknown to both.
      for (const { id, reading } of readings) if (reading.kind !== 'unreadable') this.#unreadable.delete(id);
      const read = start + chunk.length;
      if (Math.floor(read / reportEvery) > Math.floor(start / reportEvery))
        this.#deps.log.info('job records are being read', { read, of: ids.length });
    }
  }

  async #loadOne(id: string): Promise<RecordReading> {
    const reading = await this.#readPatiently(id);
    if (reading.kind === 'unreadable') this.#noteUnreadable(id, messageOf(reading.error));
    if (reading.kind !== 'damaged') return reading;
    const wasNeverMade = await this.#wasNeverMade(id).catch(() => false);
    if (wasNeverMade) await this.#discard(id);
    else await this.#deps.quarantine.take(id, reading.cause);
    return reading;
  }

  /** Waits for errors to pass that may: a job that is not known makes more trouble than a start that takes longer. */
  async #readPatiently(id: string): Promise<RecordReading> {
    for (let tries = 1; ; tries += 1) {
      const reading = await this.#deps.records.read(id);
      const isFinal = reading.kind !== 'unreadable' || !isTransient(reading.error);
      if (isFinal || tries === mostTries) return reading;
      await delay(pauseMs);
    }
  }

  #noteUnreadable(id: string, cause: string): void {
    // Tried again every few seconds: once in the log is enough.
    if (this.#unreadable.get(id) !== cause)
      this.#deps.log.error('a job record cannot be read', { job: id, cause });
    this.#unreadable.set(id, cause);
  }

  /** Without a record and a process, the job was never reported: the service ended while it was making it. */
  async #wasNeverMade(id: string): Promise<boolean> {
    const { record, process } = jobPaths(this.#deps.directory, id);
    return !(await exists(record)) && !(await exists(process));
  }

  async #discard(id: string): Promise<void> {
    const { directory } = jobPaths(this.#deps.directory, id);
    await rm(directory, { recursive: true, force: true }).catch((error: unknown) => {
      const cause = messageOf(error);
      this.#deps.log.error('a directory without a job record cannot be removed', { job: id, cause });
    });
  }
}
