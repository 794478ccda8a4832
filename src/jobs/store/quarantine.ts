/** Takes jobs with damaged records out of the way, so that they stop nothing, and keeps them for a person to look at. */
import { mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { directoryMode, jobPaths } from './job-files.ts';

/** Below the jobs directory. */
const quarantineName = '.quarantine';

/** The errors of rename(2) for a name that another directory has. */
const takenCodes = new Set(['ENOTEMPTY', 'EEXIST']);

export class Quarantine {
  readonly #jobsDirectory: string;
  readonly #directory: string;
  readonly #log: Logger;

  constructor(jobsDirectory: string, log: Logger) {
    this.#jobsDirectory = jobsDirectory;
    this.#directory = path.join(jobsDirectory, quarantineName);
    this.#log = log;
  }

  /** Makes the directory, and with it the jobs directory. @throws Error when the disk refuses. */
  async prepare(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: directoryMode });
  }

  /** Moves a job with all its files here, and reports it; `cause` says what is wrong with its record. Never rejects. */
  async take(id: string, cause: string): Promise<void> {
    try {
      const movedTo = await this.#move(id);
      this.#log.error('a job record is damaged and was set aside', { job: id, movedTo, cause });
    } catch (error) {
      this.#log.error('a damaged job record cannot be set aside', { job: id, cause: messageOf(error) });
    }
  }

  /** Where it is now: `<id>`, or `<id>.2` and so on when a job was put back from here and is damaged again. */
  async #move(id: string): Promise<string> {
    for (let copy = 1; ; copy += 1) {
      const target = path.join(this.#directory, copy === 1 ? id : `${id}.${copy}`);
      try {
        await rename(jobPaths(this.#jobsDirectory, id).directory, target);
        return target;
      } catch (error) {
        if (!takenCodes.has(systemCode(error) ?? '')) throw error;
      }
    }
  }

  /** Ids of the jobs that are here. @throws Error when the disk refuses. */
  async ids(): Promise<string[]> {
    const names = await readdir(this.#directory);
    return names.map((name) => name.replace(/\.\d+$/, ''));
  }
}
