/**
 * Workspaces on disk. Beside them, in a directory of our own on the same disk:
 *
 *   incoming/<token>/files       what is being unpacked; a single file that is being uploaded
 *   incoming/<token>/swap.json   written when all is there: which workspace it is to replace, and for which job
 *   trash/<token>                what was replaced or removed, and is being erased
 *   records/<name>.json          who made the workspace, and when
 *   uses/<name>                  when it was used for the last time (`last-uses.ts`)
 */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lchown, lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { AppError, messageOf, systemCode } from '../../lib/app-error.ts';
import type { GitCommit } from '../model/git-source.ts';
import type { Logger } from '../../lib/logger.ts';
import { eraseIn } from '../../lib/files/erase-in.ts';
import { giveTree } from '../../lib/files/give-tree.ts';
import { makeDirectories } from '../../lib/files/make-directories.ts';
import { syncDirectory, writeDurably } from '../../lib/files/write-durably.ts';
import { workspaceNamePattern, type WorkspacePlaces } from './workspace-places.ts';
import {
  parsed,
  recordSchema,
  swapSchema,
  type Swap,
  type SwapOrigin,
  type WorkspaceRecord,
} from './workspace-records.ts';

const ownMode = 0o700;
const fileMode = 0o600;
/** Programs of a lab may run as other users, and read their configurations there; `directory` keeps all others out. */
const workspaceMode = 0o755;

/** The file of this name; for a link, the link itself. Undefined when there is none. */
async function entryAt(name: string): Promise<Stats | undefined> {
  return lstat(name).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

async function isDirectory(name: string): Promise<boolean> {
  return (await entryAt(name))?.isDirectory() === true;
}

/** The user who owns the files of workspaces. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

export class WorkspaceStore {
  readonly #places: WorkspacePlaces;
  readonly #log: Logger;
  /** A copy of the records on disk, so that the owner of a workspace is known without a wait. */
  readonly #records = new Map<string, WorkspaceRecord>();
  /** The owner of the files of workspaces; undefined for the service's own user. */
  readonly owner: FileOwner | undefined;

  constructor(places: WorkspacePlaces, owner: FileOwner | undefined, log: Logger) {
    this.#places = places;
    this.owner = owner;
    this.#log = log;
  }

  /** Where they are, a real path once the service has started. */
  get directory(): string {
    return this.#places.directory;
  }

  /** A path below the service's own directory. */
  get ownDirectory(): string {
    return this.#places.ownDirectory;
  }

  /** Makes the directories. A caller that has locked `ownDirectory` calls `recover` next. */
  async prepare(): Promise<void> {
    await makeDirectories(this.#places.directory, ownMode);
    this.#places.directory = await realpath(this.#places.directory);
    for (const name of ['', 'incoming', 'trash', 'records', 'uses'])
      await makeDirectories(this.#own(name), ownMode);
  }

  /** Finishes or undoes what an earlier service had begun, and erases what it left. Nothing is half afterwards. */
  async recover(isOnRecord: (job: string) => Promise<boolean>): Promise<void> {
    const left = new Set<string>();
    for (const token of await readdir(this.#own('incoming'))) {
      const swap = await parsed(this.#own('incoming', token, 'swap.json'), swapSchema);
      const isRefused = swap?.job !== undefined && !(await isOnRecord(swap.job));
      if (isRefused && !(await this.#undone(token, swap))) left.add(token);
      // While the old files are in their place, the swap has not begun, and the client that sent the new ones has no answer yet.
      else if (swap && !isRefused && (await entryAt(this.#places.pathOf(swap.name))) === undefined) {
        await this.#moveIn(token, swap.name);
        this.#log.info('an upload to a workspace was finished', { workspace: swap.name });
      }
      if (!left.has(token)) await this.dropIncoming(token);
    }
    for (const token of await readdir(this.#own('trash'))) if (!left.has(token)) await this.erase(token);
    const names = await this.names();
    // A service that was killed before it had made a workspace: a later one of that name is no one's.
    for (const file of await readdir(this.#own('records')))
      if (!names.includes(path.parse(file).name)) await this.#eraseIn('records', file);
    for (const name of names) {
      const record = await parsed(this.#own('records', `${name}.json`), recordSchema);
      if (record) this.#records.set(name, record);
    }
  }

  /** The names of all workspaces, sorted. Other names, and files, are no workspaces. */
  async names(): Promise<string[]> {
    const entries = await readdir(this.#places.directory, { withFileTypes: true });
    const found = entries.filter((entry) => entry.isDirectory() && workspaceNamePattern.test(entry.name));
    return found.map(({ name }) => name).toSorted();
  }

  async exists(name: string): Promise<boolean> {
    return isDirectory(this.#places.pathOf(name));
  }

  /**
   * The same for a name that a workspace is to get.
   * @throws AppError `workspace-busy` when a link or a file has this name: the service did not make it, and leaves it alone.
   */
  async isMade(name: string): Promise<boolean> {
    const place = this.#places.pathOf(name);
    const entry = await entryAt(place);
    if (entry === undefined || entry.isDirectory()) return entry !== undefined;
    throw new AppError('workspace-busy', `what is at ${place} is no workspace, and is left alone`);
  }

  /** The owner and the creation time of a workspace; undefined for a workspace that the service did not make. */
  record(name: string): WorkspaceRecord | undefined {
    return this.#records.get(name);
  }

  /** Changes what is on record of a workspace. @throws Error when the disk refuses. */
  async change(name: string, changes: Partial<WorkspaceRecord>): Promise<void> {
    const isHandMade = true;
    const known = this.record(name) ?? { owner: null, createdAt: new Date().toISOString(), isHandMade };
    await this.#write(name, { ...known, ...changes });
  }

  /** Makes an empty workspace; whether there was none. */
  async make(name: string, owner: string | null): Promise<boolean> {
    if (await this.isMade(name)) return false;
    await this.#note(name, owner);
    await mkdir(this.#places.pathOf(name), { mode: workspaceMode });
    // No other user may write to the parent directory, so this is the directory that was just made.
    if (this.owner) await lchown(this.#places.pathOf(name), this.owner.uid, this.owner.gid);
    await syncDirectory(this.#places.directory);
    return true;
  }

  /** A place to receive something in; its token. */
  async makeIncoming(): Promise<string> {
    const token = randomBytes(9).toString('hex');
    await mkdir(this.#own('incoming', token), { mode: ownMode });
    await mkdir(this.incomingFiles(token), { mode: workspaceMode });
    return token;
  }

  incomingFiles(token: string): string {
    return this.#own('incoming', token, 'files');
  }

  /** Where one file is received: an archive that must be there whole before it is unpacked, or a single file. */
  incomingFile(token: string): string {
    return this.#own('incoming', token, 'file');
  }

  /** Erases what was received. Never rejects. */
  async dropIncoming(token: string): Promise<void> {
    await this.#eraseIn('incoming', token);
  }

  /**
   * Puts what was received in the place of the workspace, or makes it. When this is cut off at any point, `recover` finishes
   * or undoes it. `erase` takes what was there before.
   * @throws Error when the disk refuses; then the workspace is as it was.
   */
  async swapIn(token: string, name: string, { owner, source, job }: SwapOrigin): Promise<void> {
    const target = this.#places.pathOf(name);
    if (this.owner) await giveTree(this.incomingFiles(token), this.owner);
    const isNew = !(await this.isMade(name));
    const before = this.record(name) ?? null;
    const swap: Swap = job === undefined ? { name } : { name, job, before };
    if (isNew) await this.#note(name, owner, source);
    await writeDurably(this.#own('incoming', token, 'swap.json'), `${JSON.stringify(swap)}\n`, fileMode);
    if (before !== null && (before.source ?? source) !== undefined)
      await this.#write(name, { ...before, source });
    if (!isNew) await rename(target, this.#own('trash', token));
    await this.#moveIn(token, name).catch(async (error: unknown) => {
      if (!isNew) await rename(this.#own('trash', token), target);
      throw error;
    });
  }

  /** Puts back what was there before a `swapIn` for a job. @throws Error when the disk refuses: nothing is lost, call it again. */
  async undo(token: string): Promise<void> {
    const file = this.#own('incoming', token, 'swap.json');
    if ((await entryAt(file)) === undefined) return;
    const swap = await parsed(file, swapSchema);
    if (swap === undefined) throw new Error(`${file} cannot be read`);
    await this.#undo(token, swap);
  }

  /** Ends a `swapIn`: `recover` does nothing about it any more. @throws Error when the disk refuses. */
  async keep(token: string): Promise<void> {
    await rm(this.#own('incoming', token, 'swap.json'), { force: true });
    await syncDirectory(this.#own('incoming', token));
  }

  /** Whether `#undo` worked; if not, nothing is lost, and the next start tries again. */
  async #undone(token: string, swap: Swap): Promise<boolean> {
    try {
      await this.#undo(token, swap);
      return true;
    } catch (error) {
      const cause = messageOf(error);
      this.#log.warn('the old files of a workspace cannot be put back', { workspace: swap.name, cause });
      return false;
    }
  }

  /** When this is cut off at any point, it is done again by `recover`. */
  async #undo(token: string, { name, before = null }: Swap): Promise<void> {
    const target = this.#places.pathOf(name);
    const [received, old] = [this.incomingFiles(token), this.#own('trash', token)];
    if ((await entryAt(received)) === undefined && (await entryAt(target)) !== undefined)
      await rename(target, received);
    if ((await entryAt(old)) !== undefined) await this.#moveBack(old, target);
    await syncDirectory(this.#places.directory);
    if (before !== null) await this.#write(name, before);
    else {
      this.#records.delete(name);
      await this.#eraseIn('records', `${name}.json`);
    }
    // Before the new files: without them, a second undo would take the old ones for them.
    await this.keep(token);
  }

  /** @throws Error also when there is another workspace by now. */
  async #moveBack(old: string, target: string): Promise<void> {
    if ((await entryAt(target)) !== undefined) throw new Error(`there is another directory ${target}`);
    await rename(old, target);
  }

  /** Takes a workspace away in one step; what `erase` is to be given. */
  async take(name: string): Promise<string> {
    const token = randomBytes(9).toString('hex');
    await rename(this.#places.pathOf(name), this.#own('trash', token));
    await syncDirectory(this.#places.directory);
    this.#records.delete(name);
    await this.#eraseIn('records', `${name}.json`);
    return token;
  }

  /** Erases what was replaced or taken away. Never rejects: what stays goes with the next start. */
  async erase(token: string): Promise<void> {
    await this.#eraseIn('trash', token);
  }

  async #moveIn(token: string, name: string): Promise<void> {
    await rename(this.incomingFiles(token), this.#places.pathOf(name));
    await syncDirectory(this.#places.directory);
  }

  async #note(name: string, owner: string | null, source?: GitCommit): Promise<void> {
    await this.#write(name, { owner, createdAt: new Date().toISOString(), source });
  }

  async #write(name: string, record: WorkspaceRecord): Promise<void> {
    await writeDurably(this.#own('records', `${name}.json`), `${JSON.stringify(record)}\n`, fileMode);
    this.#records.set(name, record);
  }

  async #eraseIn(place: string, name: string): Promise<void> {
    await eraseIn(this.#own(place), name, (error) => {
      const file = this.#own(place, name);
      this.#log.warn('files of a workspace cannot be erased now', { file, cause: messageOf(error) });
    });
  }

  #own(...names: readonly string[]): string {
    return path.join(this.#places.ownDirectory, ...names);
  }
}
