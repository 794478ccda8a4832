/**
 * Which multilab ids were given out on this machine, whichever service gave them: one small file for each beside the lab
 * CLI's own state, which all services share that start labs with it. A file appears whole or not at all, and only one of two
 * that want the same number can make it (link(2)).
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { AppError, messageOf, systemCode } from '../../lib/app-error.ts';
import { exists } from '../../lib/files/exists.ts';
import { lockFile } from '../../lib/files/lock-file.ts';
import { makeDirectories } from '../../lib/files/make-directories.ts';
import { readPlainFile } from '../../lib/files/plain-file.ts';
import { syncDirectory, writeDurably } from '../../lib/files/write-durably.ts';

const claimSchema = z.object({
  /** Where the records are of the service that gave the id out. */
  jobsDirectory: z.string(),
  /** Null until the job has its own id. */
  job: z.string().nullable(),
  /** Of that service. */
  process: z.object({ pid: z.int().positive(), startTicks: z.int(), bootId: z.string() }),
});

export type IdClaim = Readonly<z.infer<typeof claimSchema>>;

/** By id; null for one that cannot be understood. */
export type IdClaims = ReadonlyMap<number, IdClaim | null>;

const fileMode = 0o600;
const directoryMode = 0o700;
const lockWaitSeconds = 20;
/** Without LAB_API_JOB_USER, jobs can write here. Longer ones are not understood. */
const maxBytes = 16 * 1024;

const textOf = (claim: IdClaim): string => `${JSON.stringify(claim)}\n`;

function understood(text: string): IdClaim | null {
  try {
    return claimSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export class IdClaimFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Runs `task` while no other service looks for a free id, or takes one for free. Without `flock` (macOS), services exclude
   * one another by the files alone, and two might take the same id whose lab has gone in that moment.
   * @throws AppError `storage-fault` when the files cannot be used.
   */
  async alone<T>(task: () => Promise<T>): Promise<T> {
    let lock: FileHandle | undefined;
    try {
      await makeDirectories(this.#directory, directoryMode);
      const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
      lock = await open(path.join(this.#directory, 'lock'), O_RDWR | O_CREAT | O_NOFOLLOW, fileMode);
      if ((await lockFile(lock, lockWaitSeconds)) === 'busy')
        throw new Error(`locked by another service for ${lockWaitSeconds} seconds`);
      return await task();
    } catch (error) {
      if (error instanceof AppError) throw error;
      const message = `no free multilab id is known, because ${this.#directory} cannot be used: ${messageOf(error)}`;
      throw new AppError('storage-fault', message, { cause: error, retryAfterSeconds: 10 });
    } finally {
      await lock?.close().catch(() => undefined);
    }
  }

  async read(): Promise<IdClaims> {
    const names = (await readdir(this.#directory)).filter((name) => /^\d+\.json$/.test(name));
    const claims = names.map(async (name): Promise<[number, IdClaim | null][]> => {
      const reading = await readPlainFile(path.join(this.#directory, name), maxBytes);
      if (reading.kind === 'absent') return [];
      return [[Number.parseInt(name, 10), reading.kind === 'found' ? understood(reading.text) : null]];
    });
    return new Map((await Promise.all(claims)).flat());
  }

  /** Costs little, and may be asked without being alone. */
  async has(id: number): Promise<boolean> {
    return exists(this.#fileOf(id)).catch(() => true);
  }

  /** Whether the claim was made: not when the id is taken. @throws Error when the disk refuses. */
  async make(id: number, claim: IdClaim): Promise<boolean> {
    const draft = path.join(this.#directory, `.draft-${randomBytes(6).toString('hex')}`);
    try {
      await writeDurably(draft, textOf(claim), fileMode);
      await link(draft, this.#fileOf(id));
      await syncDirectory(this.#directory);
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft, { force: true }).catch(() => undefined);
    }
  }

  /** Of a claim of one's own. */
  async replace(id: number, claim: IdClaim): Promise<void> {
    await writeDurably(this.#fileOf(id), textOf(claim), fileMode);
  }

  async remove(id: number): Promise<void> {
    await rm(this.#fileOf(id), { force: true });
  }

  /** The id that was given out last; 0 when it is unknown. */
  async readLast(): Promise<number> {
    const reading = await readPlainFile(path.join(this.#directory, 'last'), maxBytes);
    const last = reading.kind === 'found' ? Number.parseInt(reading.text, 10) : 0;
    return Number.isSafeInteger(last) ? last : 0;
  }

  async writeLast(id: number): Promise<void> {
    await writeDurably(path.join(this.#directory, 'last'), `${id}\n`, fileMode);
  }

  #fileOf(id: number): string {
    return path.join(this.#directory, `${id}.json`);
  }
}
