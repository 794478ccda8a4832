/**
 * Workspaces on disk. Beside them, in a directory of our own on the same disk:
 *
 *   incoming/<token>/files       what is being unpacked; a single file that is being uploaded
 *   incoming/<token>/swap.json   written when all is there: which workspace it is to replace
 *   trash/<token>                what was replaced or removed, and is being erased
 *   records/<name>.json          who made the workspace, and when
 */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lchown, lstat, mkdir, readdir, realpath, rename } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { AppError, messageOf, systemCode } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { makeDirectories } from '../../lib/files/make-directories.ts';
import { OpenDirectory } from '../../lib/files/open-directory.ts';
import { readPlainFile } from '../../lib/files/plain-file.ts';
import { removeTree } from '../../lib/files/remove-tree.ts';
import { syncDirectory, writeDurably } from '../../lib/files/write-durably.ts';
import { giveTree, type FileOwner } from './give-away.ts';
import { workspaceNamePattern, type WorkspacePlaces } from './workspace-places.ts';

const ownMode = 0o700;
const fileMode = 0o600;
/** Programs of a lab may run as other users, and read their configurations there; nobody else comes through `directory`. */
const workspaceMode = 0o755;

const recordSchema = z.object({ owner: z.string().nullable(), createdAt: z.iso.datetime() });
export type WorkspaceRecord = Readonly<z.infer<typeof recordSchema>>;

const swapSchema = z.object({ name: z.string().regex(workspaceNamePattern) });

/** What has this name, a link itself; undefined when nothing has. */
async function entryAt(name: string): Promise<Stats | undefined> {
  return lstat(name).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

async function isDirectory(name: string): Promise<boolean> {
  return (await entryAt(name))?.isDirectory() === true;
}

async function parsed<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const reading = await readPlainFile(file);
  if (reading.kind !== 'found') return undefined;
  try {
    return schema.parse(JSON.parse(reading.text));
  } catch {
    return undefined;
  }
}

export class WorkspaceStore {
  readonly #places: WorkspacePlaces;
  readonly #log: Logger;
  /** Those on disk, so that it can be told at once whose a workspace is. */
  readonly #records = new Map<string, WorkspaceRecord>();
  /** Whose the files of workspaces are; undefined for the service's own user. */
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

  /** What the service keeps there for itself. */
  get ownDirectory(): string {
    return this.#places.ownDirectory;
  }

  /** Makes the directories. Whoever has `ownDirectory` to itself calls `recover` next. */
  async prepare(): Promise<void> {
    await makeDirectories(this.#places.directory, ownMode);
    this.#places.directory = await realpath(this.#places.directory);
    for (const name of ['', 'incoming', 'trash', 'records']) await makeDirectories(this.#own(name), ownMode);
  }

  /** Finishes or undoes what an earlier service had begun, and erases what it left. Nothing is half afterwards. */
  async recover(): Promise<void> {
    for (const token of await readdir(this.#own('incoming'))) {
      const swap = await parsed(this.#own('incoming', token, 'swap.json'), swapSchema);
      // While the old files are in their place, nothing has happened yet: whoever sent the new ones was told nothing.
      if (swap && (await entryAt(this.#places.pathOf(swap.name))) === undefined) {
        await this.#moveIn(token, swap.name);
        this.#log.info('an upload to a workspace was finished', { workspace: swap.name });
      }
      await this.dropIncoming(token);
    }
    for (const token of await readdir(this.#own('trash'))) await this.erase(token);
    for (const name of await this.names()) {
      const record = await parsed(this.#own('records', `${name}.json`), recordSchema);
      if (record) this.#records.set(name, record);
    }
  }

  /** Of all workspaces, sorted. What is there under another name, or is no directory, is none. */
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
   * @throws AppError `workspace-busy` when it is that of a link or a file: somebody else made it, and it is left alone.
   */
  async isMade(name: string): Promise<boolean> {
    const place = this.#places.pathOf(name);
    const entry = await entryAt(place);
    if (entry === undefined || entry.isDirectory()) return entry !== undefined;
    throw new AppError('workspace-busy', `what is at ${place} is no workspace, and is left alone`);
  }

  /** Who made a workspace, and when; undefined for one that nobody made through the service. */
  record(name: string): WorkspaceRecord | undefined {
    return this.#records.get(name);
  }

  /** Makes a workspace somebody else's. @throws Error when the disk refuses. */
  async setOwner(name: string, owner: string | null): Promise<void> {
    const { createdAt } = this.record(name) ?? { createdAt: new Date().toISOString() };
    await this.#write(name, { owner, createdAt });
  }

  /** Makes an empty workspace; whether there was none. */
  async make(name: string, owner: string | null): Promise<boolean> {
    if (await this.isMade(name)) return false;
    await this.#note(name, owner);
    await mkdir(this.#places.pathOf(name), { mode: workspaceMode });
    // Nobody else may write to the directory that it is in: it is the one that was made.
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
  async swapIn(token: string, name: string, owner: string | null): Promise<void> {
    const target = this.#places.pathOf(name);
    if (this.owner) await giveTree(this.incomingFiles(token), this.owner);
    const isNew = !(await this.isMade(name));
    if (isNew) await this.#note(name, owner);
    await writeDurably(this.#own('incoming', token, 'swap.json'), `${JSON.stringify({ name })}\n`, fileMode);
    if (!isNew) await rename(target, this.#own('trash', token));
    await this.#moveIn(token, name).catch(async (error: unknown) => {
      if (!isNew) await rename(this.#own('trash', token), target);
      throw error;
    });
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

  async #note(name: string, owner: string | null): Promise<void> {
    await this.#write(name, { owner, createdAt: new Date().toISOString() });
  }

  async #write(name: string, record: WorkspaceRecord): Promise<void> {
    await writeDurably(this.#own('records', `${name}.json`), `${JSON.stringify(record)}\n`, fileMode);
    this.#records.set(name, record);
  }

  async #eraseIn(place: string, name: string): Promise<void> {
    try {
      const directory = await OpenDirectory.open(this.#own(place));
      try {
        await removeTree(directory, name);
      } finally {
        await directory.close();
      }
    } catch (error) {
      const file = this.#own(place, name);
      this.#log.warn('files of a workspace cannot be erased now', { file, cause: messageOf(error) });
    }
  }

  #own(...names: readonly string[]): string {
    return path.join(this.#places.ownDirectory, ...names);
  }
}
