/** Job records as files: makes, reads and replaces them, one at a time. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { exists } from '../../lib/files/exists.ts';
import { NotPlainFile, readPlainFile } from '../../lib/files/plain-file.ts';
import { syncDirectory, writeDurably } from '../../lib/files/write-durably.ts';
import { jobSchema, type Job, isTerminal, jobIdPattern, jobStates } from '../model/job.ts';
import { directoryMode, fileMode, jobPaths } from './job-files.ts';
import * as z from 'zod';

export type RecordReading =
  /** `length` is that of the record as text, in UTF-16 code units. */
  | { readonly kind: 'sound'; readonly job: Job; readonly length: number }
  | { readonly kind: 'damaged'; readonly cause: string }
  /** There is no such job: its whole directory is gone. */
  | { readonly kind: 'missing' }
  /** The disk fails just now: that says nothing of the record. */
  | { readonly kind: 'unreadable'; readonly error: unknown };

function parseRecord(id: string, content: string): RecordReading {
  try {
    const job = jobSchema.parse(JSON.parse(content));
    return job.id === id
      ? { kind: 'sound', job, length: content.length }
      : { kind: 'damaged', cause: `the record belongs to ${job.id}` };
  } catch (error) {
    return { kind: 'damaged', cause: messageOf(error) };
  }
}

export class RecordFiles {
  readonly #jobsDirectory: string;

  constructor(jobsDirectory: string) {
    this.#jobsDirectory = jobsDirectory;
  }

  /** Never rejects. */
  async read(id: string): Promise<RecordReading> {
    const { directory, record } = jobPaths(this.#jobsDirectory, id);
    const reading = await readPlainFile(record);
    switch (reading.kind) {
      case 'found':
        return parseRecord(id, reading.text);
      case 'absent':
        return this.#whyAbsent(directory).catch((error: unknown) => ({ kind: 'unreadable', error }));
      case 'unreadable':
        return reading.error instanceof NotPlainFile
          ? { kind: 'damaged', cause: 'the record is not a plain file' }
          : { kind: 'unreadable', error: reading.error };
    }
  }

  async #whyAbsent(directory: string): Promise<RecordReading> {
    if (await exists(directory)) return { kind: 'damaged', cause: 'the record is gone' };
    // A disk that is not mounted just now has no records either: that does not mean that the job was removed.
    if (await exists(this.#jobsDirectory)) return { kind: 'missing' };
    return { kind: 'unreadable', error: new Error('the jobs directory is not there') };
  }

  /**
   * Makes the directory of a new job with the topology that came with it, an empty log and the record; all of it is on disk
   * for good when this resolves.
   * @throws Error when the disk refuses; then nothing of the job is left.
   */
  async create(job: Job, topologyText: string | undefined): Promise<void> {
    const paths = jobPaths(this.#jobsDirectory, job.id);
    try {
      await mkdir(paths.directory, { mode: directoryMode });
      // Synced like the record: after a power cut, a queued job must not run with a part of its topology.
      if (topologyText !== undefined)
        await writeFile(paths.topology, topologyText, { mode: fileMode, flush: true });
      await writeFile(paths.log, '', { mode: fileMode });
      await this.write(job);
      await syncDirectory(this.#jobsDirectory);
    } catch (error) {
      await rm(paths.directory, { recursive: true, force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Replaces the record; it is on disk for good when this resolves. @throws Error when the disk refuses. */
  async write(job: Job): Promise<void> {
    const { directory, record } = jobPaths(this.#jobsDirectory, job.id);
    const content = `${JSON.stringify(job, null, 2)}\n`;
    await writeDurably(record, content, fileMode).catch(async (error: unknown) => {
      // Another program removed the directory of a job that has not ended: the job goes on, so it needs a record.
      if (systemCode(error) !== 'ENOENT') throw error;
      await mkdir(directory, { mode: directoryMode });
      await writeDurably(record, content, fileMode);
    });
  }
}

const stateSchema = z.object({ state: z.enum(jobStates) });

/**
 * Whether a job exists and has ended, by its record, also in the jobs directory of another service. `unknown` when it cannot be read or
 * understood: a caller must not take that for the end of the job, or it may free what the job needs. Never throws.
 */
export async function presenceOf(
  jobsDirectory: string,
  id: string,
): Promise<'unfinished' | 'finished' | 'absent' | 'unknown'> {
  if (!jobIdPattern.test(id)) return 'unknown';
  const reading = await readPlainFile(jobPaths(jobsDirectory, id).record);
  if (reading.kind !== 'found') return reading.kind === 'absent' ? 'absent' : 'unknown';
  try {
    return isTerminal(stateSchema.parse(JSON.parse(reading.text)).state) ? 'finished' : 'unfinished';
  } catch {
    return 'unknown';
  }
}
