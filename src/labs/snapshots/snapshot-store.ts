/**
 * Snapshots on disk, in a directory of their own:
 *
 *   NAME/snapshot.json   the record
 *   NAME/files.tar.gz    all files, with the configurations
 *   NAME/added/…         the configurations alone, for comparisons
 *   .incoming/TOKEN      what is being made or erased; a start erases it
 *
 * A snapshot gets its name in one step (rename(2)), when all of it is on disk.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { Share } from '../../access/model/groups.ts';
import { messageOf, systemCode } from '../../lib/app-error.ts';
import { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import { eraseIn } from '../../lib/files/erase-in.ts';
import { exists } from '../../lib/files/exists.ts';
import { makeDirectories } from '../../lib/files/make-directories.ts';
import { readPlainFile } from '../../lib/files/plain-file.ts';
import { syncDirectory, writeDurably } from '../../lib/files/write-durably.ts';
import type { Logger } from '../../lib/logger.ts';
import { workspaceNamePattern } from '../workspaces/workspace-places.ts';
import {
  configurationsName,
  noSuchSnapshot,
  recordSchema,
  type Snapshot,
  type SnapshotRecord,
} from './snapshot.ts';

const ownMode = 0o700;
const fileMode = 0o600;
const incomingName = '.incoming';
const recordName = 'snapshot.json';

const textOf = (record: SnapshotRecord): string => `${JSON.stringify(record, null, 2)}\n`;

/** Places for a snapshot that is being made. */
export interface SnapshotPlace {
  readonly token: string;
  readonly archive: string;
  /** Further files for the archive, besides those of the lab. */
  readonly added: string;
}

export class SnapshotStore {
  readonly directory: string;
  readonly #log: Logger;
  /** A copy of the records on disk, so that the owner of a snapshot is known without a wait. */
  readonly #records = new Map<string, SnapshotRecord>();
  /** One change of a snapshot at a time. */
  readonly #turns = new KeyedMutex();

  constructor(directory: string, log: Logger) {
    this.directory = directory;
    this.#log = log;
  }

  /** Makes the directories, erases what an earlier service did not finish, and reads the records. */
  async open(): Promise<void> {
    await makeDirectories(this.#at(incomingName), ownMode);
    for (const token of await readdir(this.#at(incomingName))) await this.drop(token);
    for (const { name } of await readdir(this.directory, { withFileTypes: true })) {
      if (!workspaceNamePattern.test(name)) continue;
      const record = await this.#read(name);
      if (record) this.#records.set(name, record);
    }
  }

  async #read(name: string): Promise<SnapshotRecord | undefined> {
    const file = this.#at(name, recordName);
    const reading = await readPlainFile(file);
    try {
      if (reading.kind === 'found') return recordSchema.parse(JSON.parse(reading.text));
      throw reading.error;
    } catch (error) {
      this.#log.warn('a snapshot cannot be read, and is left alone', { file, cause: messageOf(error) });
      return undefined;
    }
  }

  /** Newest first. */
  list(): readonly Snapshot[] {
    const all = [...this.#records].map(([name, record]) => ({ name, ...record }));
    return all.toSorted((one, other) => (one.createdAt > other.createdAt ? -1 : 1));
  }

  get(name: string): Snapshot | undefined {
    const record = this.#records.get(name);
    return record && { name, ...record };
  }

  /** Whether something has that name, also what is no snapshot. */
  async isTaken(name: string): Promise<boolean> {
    return this.#records.has(name) || (await exists(this.#at(name)));
  }

  /** Bytes of all snapshots. */
  get totalBytes(): number {
    return [...this.#records.values()].reduce((sum, { size }) => sum + size, 0);
  }

  async makePlace(): Promise<SnapshotPlace> {
    const token = randomBytes(9).toString('hex');
    await mkdir(this.#at(incomingName, token), { mode: ownMode });
    const place = (file: string): string => this.#at(incomingName, token, file);
    return { token, archive: place('files.tar.gz'), added: place('added') };
  }

  /** Gives what was made its name. @throws Error when the disk refuses, or something else has that name. */
  async publish({ token }: SnapshotPlace, name: string, record: SnapshotRecord): Promise<void> {
    const file = this.#at(incomingName, token, recordName);
    await writeDurably(file, textOf(record), fileMode);
    await rename(this.#at(incomingName, token), this.#at(name));
    this.#records.set(name, record);
    await syncDirectory(this.directory);
  }

  /** Replaces the shares. `check` runs in its turn. @throws AppError `snapshot-not-found`; what `check` throws; Error of the system. */
  async setShares(name: string, shares: readonly Share[], check: () => void): Promise<void> {
    await this.#turns.run(name, async () => {
      check();
      const before = this.#records.get(name);
      if (before === undefined) throw noSuchSnapshot(name);
      const record = { ...before, shares };
      await writeDurably(this.#at(name, recordName), textOf(record), fileMode);
      this.#records.set(name, record);
    });
  }

  /** Takes a snapshot away in one step, and then erases its files. @throws AppError `snapshot-not-found`. */
  async remove(name: string): Promise<void> {
    const token = randomBytes(9).toString('hex');
    await this.#turns.run(name, async () => {
      if (!this.#records.has(name)) throw noSuchSnapshot(name);
      await rename(this.#at(name), this.#at(incomingName, token));
      this.#records.delete(name);
      await syncDirectory(this.directory);
    });
    await this.drop(token);
  }

  /** Erases what was made or taken away. Never rejects: what stays goes with the next start. */
  async drop(token: string): Promise<void> {
    await eraseIn(this.#at(incomingName), token, (error) => {
      const file = this.#at(incomingName, token);
      this.#log.warn('files of a snapshot cannot be erased now', { file, cause: messageOf(error) });
    });
  }

  /** The archive of all files (tar.gz); the caller closes it. @throws AppError `snapshot-not-found`; Error of the system. */
  async openArchive(name: string): Promise<FileHandle> {
    if (!this.#records.has(name)) throw noSuchSnapshot(name);
    return open(this.#at(name, 'files.tar.gz'), 'r').catch((error: unknown) => {
      throw systemCode(error) === 'ENOENT' ? noSuchSnapshot(name) : error;
    });
  }

  /** The configuration of a node. @throws AppError `snapshot-not-found` when it was removed meanwhile; Error of the system. */
  async configuration({ name, directory }: Snapshot, node: string): Promise<string> {
    const file = this.#at(name, 'added', directory, configurationsName, `${node}.cfg`);
    const reading = await readPlainFile(file);
    if (reading.kind === 'found') return reading.text;
    throw reading.kind === 'absent' ? noSuchSnapshot(name) : reading.error;
  }

  #at(...names: readonly string[]): string {
    return path.join(this.directory, ...names);
  }
}
