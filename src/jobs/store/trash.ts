/** Removal in two steps: one rename, which happens or does not, and then the files, however long that takes. */
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { directoryMode } from './job-files.ts';

/** Below the jobs directory; what is in it is no job any more. */
const trashName = '.trash';

export class Trash {
  readonly #jobsDirectory: string;
  readonly #directory: string;
  readonly #log: Logger;

  constructor(jobsDirectory: string, log: Logger) {
    this.#jobsDirectory = jobsDirectory;
    this.#directory = path.join(jobsDirectory, trashName);
    this.#log = log;
  }

  /**
   * Takes a job's directory away in one step. One that is not there is no error.
   * @throws Error when it cannot be moved; it is whole then.
   */
  async take(id: string): Promise<void> {
    const [source, target] = [path.join(this.#jobsDirectory, id), path.join(this.#directory, id)];
    const move = async (): Promise<boolean> =>
      rename(source, target).then(
        () => true,
        (error: unknown) => {
          if (systemCode(error) !== 'ENOENT') throw error;
          return false;
        },
      );
    if (await move()) return;
    // Either of the two is missing: the job's, or ours, which comes with the first removal.
    await mkdir(this.#directory, { recursive: true, mode: directoryMode });
    await move();
  }

  /** Erases what an earlier service, or a disk that refused, left here. Never rejects. */
  async empty(): Promise<void> {
    // A link in its place may lead to files that were never removed.
    const entry = await lstat(this.#directory).catch(() => undefined);
    if (!entry?.isDirectory()) return;
    const names = await readdir(this.#directory).catch(() => []);
    for (const name of names) await this.erase(name);
  }

  /** Erases what `take` took. Never rejects: what stays goes with a later `empty`. */
  async erase(id: string): Promise<void> {
    const target = path.join(this.#directory, id);
    await rm(target, { recursive: true, force: true }).catch((error: unknown) =>
      this.#log.warn('files of a removed job cannot be erased now', {
        directory: target,
        cause: messageOf(error),
      }),
    );
  }
}
