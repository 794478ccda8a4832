/** Reads all job records when the service starts, and sorts out what is none. */
import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { messageOf, systemCode } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import { jobSchema, type Job } from './job.ts';
import { jobPaths } from './job-files.ts';

/** Where damaged records go, below the jobs directory. */
export const quarantineName = '.quarantine';

/** Directories of other names are not ours, and are left alone. */
const idPattern = /^job-\d+-[0-9a-f]{6}$/;

class RecordLoader {
  readonly #directory: string;
  readonly #log: Logger;

  constructor(directory: string, log: Logger) {
    this.#directory = directory;
    this.#log = log;
  }

  load(id: string): Job | undefined {
    const paths = jobPaths(this.#directory, id);
    let content: string;
    try {
      content = readFileSync(paths.record, 'utf8');
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') {
        this.#log.error('a job record cannot be read', { job: id, cause: messageOf(error) });
      } else if (existsSync(paths.process)) this.#setAside(id, 'the record is gone');
      else this.#discard(id);
      return undefined;
    }
    try {
      const job = jobSchema.parse(JSON.parse(content));
      if (job.id !== id) throw new Error(`the record belongs to ${job.id}`);
      return job;
    } catch (error) {
      this.#setAside(id, messageOf(error));
      return undefined;
    }
  }

  /** Without a record and a process, nobody was ever told of the job: the service ended while it was making it. */
  #discard(id: string): void {
    try {
      rmSync(jobPaths(this.#directory, id).directory, { recursive: true, force: true });
    } catch (error) {
      const cause = messageOf(error);
      this.#log.error('a directory without a job record cannot be removed', { job: id, cause });
    }
  }

  #setAside(id: string, cause: string): void {
    const target = path.join(this.#directory, quarantineName, id);
    try {
      renameSync(jobPaths(this.#directory, id).directory, target);
      this.#log.error('a job record is damaged and was set aside', { job: id, movedTo: target, cause });
    } catch (error) {
      this.#log.error('a damaged job record cannot be set aside', { job: id, cause: messageOf(error) });
    }
  }
}

/** Every sound record, oldest first. */
export function* loadRecords(directory: string, log: Logger): Generator<Job> {
  const loader = new RecordLoader(directory, log);
  const ids = readdirSync(directory).filter((name) => idPattern.test(name));
  for (const id of ids.toSorted()) {
    const job = loader.load(id);
    if (job) yield job;
  }
}
