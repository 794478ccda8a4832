/**
 * The directories in which lab CLIs look at topologies, without a lab. Each is erased after its check, with all processes
 * that the lab CLI, or a plugin of the topology, has left.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../lib/app-error.ts';
import { every } from '../../lib/async/disposal.ts';
import { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import { linkSignals } from '../../lib/async/linked-signal.ts';
import { Semaphore } from '../../lib/async/semaphore.ts';
import { eraseIn } from '../../lib/files/erase-in.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import { makeDirectories } from '../../lib/files/make-directories.ts';
import { isInside } from '../../lib/files/path-inside.ts';
import { hasProcFs } from '../../lib/processes/processes.ts';
import { ProcessScanner } from '../../lib/processes/process-scanner.ts';
import { formatSize } from '../../lib/text/size.ts';
import { asDiskError } from '../workspaces/disk-error.ts';

/** Each takes a processor for a second or two. */
const checksAtOnce = 2;
/** The requests of one user, with the one that is under way. */
const asksMax = 16;
const diskLookMs = 500;

/** Its value, in the environment of all processes of a check, is the directory of the check. */
const variable = 'LAB_CHECK_DIRECTORY';
const scanner = new ProcessScanner(variable);
/** A process may start another one before it is killed. */
const [roundsMax, roundMs] = [200, 10];

/** Kills the processes of some checks, wherever they went, until there are none. Never rejects. */
async function endProcesses(isMeant: (directory: string) => boolean): Promise<void> {
  if (!hasProcFs) return;
  for (let round = 0; round < roundsMax; round += 1) {
    const all = await scanner.scan().catch(() => []);
    const left = all.filter(({ tag }) => typeof tag === 'string' && isMeant(tag));
    if (left.length === 0) return;
    for (const { pid } of left)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone meanwhile.
      }
    await delay(roundMs);
  }
}

interface CheckLimits {
  readonly minFreeDiskBytes: number;
}

interface Asked {
  readonly user: string | null;
  readonly signal: AbortSignal;
}

interface CheckPlace {
  /** A real path; it is empty. */
  readonly directory: string;
  /** For every process of the check. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborted when the client has gone, or the disk is nearly full. */
  readonly signal: AbortSignal;
}

export class CheckPlaces {
  readonly #directory: string;
  readonly #limits: CheckLimits;
  readonly #turns = new Semaphore(checksAtOnce);
  readonly #ofUser = new KeyedMutex();
  /** By user: how many requests there are. */
  readonly #asks = new Map<string | null, number>();

  constructor(dataDir: string, limits: CheckLimits) {
    this.#directory = path.join(dataDir, 'checks');
    this.#limits = limits;
  }

  /** To be called once, before the first check: an earlier service may have left some. Never rejects. */
  async open(): Promise<void> {
    const names = await readdir(this.#directory).catch(() => []);
    if (names.length === 0) return;
    const top = await realpath(this.#directory).catch(() => this.#directory);
    await endProcesses((directory) => isInside(top, directory));
    for (const name of names) await this.#erase(name);
  }

  /**
   * Calls `use` with a place of its own. Checks of one user come one after the other; where users do not log in, all are equal.
   * @throws AppError `queue-full`, `disk-full`, `shutting-down`; what `use` throws.
   */
  async use<T>({ user, signal }: Asked, use: (place: CheckPlace) => Promise<T>): Promise<T> {
    const asks = this.#asks.get(user) ?? 0;
    if (asks >= asksMax)
      throw new AppError('queue-full', `${asksMax} checks are under way or wait; try again later`, {
        retryAfterSeconds: 5,
      });
    this.#asks.set(user, asks + 1);
    const inTurn = async (): Promise<T> => this.#turns.run(async () => this.#useOne(signal, use), signal);
    try {
      return await (user === null ? inTurn() : this.#ofUser.run(user, inTurn));
    } catch (error) {
      if (signal.aborted) throw new AppError('shutting-down', 'the check was ended', { cause: error });
      throw error;
    } finally {
      const left = (this.#asks.get(user) ?? 1) - 1;
      if (left === 0) this.#asks.delete(user);
      else this.#asks.set(user, left);
    }
  }

  async #useOne<T>(signal: AbortSignal, use: (place: CheckPlace) => Promise<T>): Promise<T> {
    // The user of jobs passes through, and the names are secret.
    await makeDirectories(this.#directory, 0o711);
    await this.#assertFreeDisk();
    const name = randomBytes(9).toString('hex');
    const directory = path.join(await realpath(this.#directory), name);
    const full = new AbortController();
    const look = async (): Promise<void> =>
      this.#assertFreeDisk().catch((error: unknown) => full.abort(error));
    const stopLooks = every(diskLookMs, () => void look());
    const either = linkSignals(signal, full.signal);
    try {
      await mkdir(directory, { mode: 0o700 });
      return await use({ directory, env: { [variable]: directory }, signal: either.signal });
    } catch (error) {
      throw asDiskError(full.signal.aborted ? full.signal.reason : error, 'checks');
    } finally {
      stopLooks();
      either.unlink();
      await endProcesses((tag) => tag === directory);
      await this.#erase(name);
    }
  }

  async #assertFreeDisk(): Promise<void> {
    const free = await freeDiskBytes(this.#directory);
    const { minFreeDiskBytes } = this.#limits;
    if (free === undefined || free >= minFreeDiskBytes) return;
    const message = `only ${formatSize(free)} are free for checks, less than the floor of ${formatSize(minFreeDiskBytes)}`;
    throw new AppError('disk-full', message, { retryAfterSeconds: 60 });
  }

  /** Never rejects: what stays goes with the next start. */
  async #erase(name: string): Promise<void> {
    await eraseIn(this.#directory, name, () => undefined);
  }
}
