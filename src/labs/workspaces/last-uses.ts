/**
 * When each workspace was used for the last time. `uses/<name>` in the service's own directory keeps it over a restart: an
 * empty file, whose time of modification is the time of the use.
 */
import { constants } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { Mutex } from '../../lib/async/mutex.ts';
import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { clockSetBy, type ClockMark, type WallClock } from '../../lib/wall-clock.ts';

/** Uses that follow each other more closely are written once. A crash loses no more than that. */
const writeMs = 60_000;

interface Use {
  /** In ms since 1970. */
  readonly atMs: number;
  /** The clock at that time; undefined for a use that another run of the service wrote. */
  readonly mark: ClockMark | undefined;
  /** The time that is on disk, in ms since 1970; undefined if there is none. */
  readonly writtenMs: number | undefined;
}

/** Makes an empty file unless it is there, and sets its time. It does not follow a link. */
async function setTime(file: string, atMs: number): Promise<void> {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;
  const handle = await open(file, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    await handle.utimes(atMs / 1000, atMs / 1000);
  } finally {
    await handle.close();
  }
}

interface LastUsesDeps {
  /** The directory `uses`. */
  readonly directory: () => string;
  readonly clock: WallClock;
  readonly log: Logger;
}

export class LastUses {
  readonly #deps: LastUsesDeps;
  readonly #uses = new Map<string, Use>();
  /** Changes on disk, in order. */
  readonly #turns = new Mutex();

  constructor(deps: LastUsesDeps) {
    this.#deps = deps;
  }

  /** Reads what an earlier service wrote about these workspaces. Never rejects: without a time, other times count. */
  async load(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const found = await lstat(this.#fileOf(name)).catch(() => undefined);
      if (found === undefined) continue;
      const atMs = Math.round(found.mtimeMs);
      this.#uses.set(name, { atMs, mark: undefined, writtenMs: atMs });
    }
  }

  /** When it was used, in ms since 1970; undefined for a workspace that was not used since the service knows of uses. */
  of(name: string): number | undefined {
    const use = this.#uses.get(name);
    return use && this.#atMs(use);
  }

  /** It is used now. */
  note(name: string): void {
    const { clock } = this.#deps;
    const [atMs, mark] = [clock.nowMs(), clock.mark()];
    const writtenMs = this.#uses.get(name)?.writtenMs;
    this.#uses.set(name, { atMs, mark, writtenMs });
    if (writtenMs === undefined || atMs - writtenMs >= writeMs) void this.#write(name);
  }

  /** It was used then (ms since 1970), which counts unless a later use is known. */
  noteEarlier(name: string, atMs: number): void {
    const known = this.#uses.get(name);
    if (known && known.atMs >= atMs) return;
    this.#uses.set(name, { atMs, mark: undefined, writtenMs: known?.writtenMs });
  }

  /**
   * Writes every use that the disk does not have. Never rejects. An earlier time never replaces a later one: the clock may be
   * wrong now, and a workspace that is kept too long does no harm.
   */
  async save(): Promise<void> {
    for (const [name, use] of this.#uses) {
      const { writtenMs = Number.NEGATIVE_INFINITY } = use;
      if (this.#atMs(use) > writtenMs) void this.#write(name);
    }
    await this.#turns.run(() => Promise.resolve());
  }

  /** The workspace is gone. Never rejects: what stays is older than any workspace that gets this name. */
  async forget(name: string): Promise<void> {
    this.#uses.delete(name);
    await this.#turns.run(async () => rm(this.#fileOf(name), { force: true })).catch(() => undefined);
  }

  /** A use of this run stays as long ago as it is when the clock is set: machines start with a clock that is wrong. */
  #atMs({ atMs, mark }: Use): number {
    return mark ? atMs + clockSetBy(mark, this.#deps.clock.mark()) : atMs;
  }

  /** Never rejects. */
  async #write(name: string): Promise<void> {
    const use = this.#uses.get(name);
    if (use === undefined) return;
    const atMs = this.#atMs(use);
    // At once: the uses that come while the disk is slow are not written one by one.
    this.#uses.set(name, { ...use, writtenMs: atMs });
    try {
      await this.#turns.run(async () => setTime(this.#fileOf(name), atMs));
    } catch (error) {
      const now = this.#uses.get(name);
      if (now) this.#uses.set(name, { ...now, writtenMs: undefined });
      const cause = messageOf(error);
      this.#deps.log.warn('the time when a workspace was used cannot be written', { workspace: name, cause });
    }
  }

  #fileOf(name: string): string {
    return path.join(this.#deps.directory(), name);
  }
}
