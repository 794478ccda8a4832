/** Brings files from Git to workspaces, for jobs. */
import { readdirSync } from 'node:fs';
import { AppError, fieldError, systemCode } from '../../lib/app-error.ts';
import type { ErrorCode } from '../../lib/error-codes.ts';
import { freeDiskBytes } from '../../lib/files/free-disk.ts';
import type { GitCommit, GitSource } from '../model/git-source.ts';
import { asDiskError } from '../workspaces/disk-error.ts';
import { checkWorkspaceName } from '../workspaces/workspace-places.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { receiveCommit, type GitSettings } from './receive-commit.ts';

interface Wish {
  /** Undefined for one that is to be made. */
  readonly workspace: string | undefined;
  /** Whether the files may go into a workspace. @throws AppError. */
  readonly check: (place: { readonly workdir: string; readonly workspace: string }) => void;
  /** The owner of a workspace that is new. */
  readonly owner: string | null;
  /** Ends the wait for the files early. */
  readonly signal: AbortSignal | undefined;
}

/** Receives what is counted. */
export interface GitObserver {
  /** A fetch has ended, in whatever way; `failure` is the code of its error. */
  readonly fetchEnded: (durationMs: number, failure: ErrorCode | undefined) => void;
}

interface Around {
  readonly shutdown: AbortSignal;
  /** It may be made later. */
  readonly observer: () => GitObserver;
}

interface SourceFiles {
  readonly commit: GitCommit;
  /** Sentences for a person. */
  readonly warnings: readonly string[];
  readonly putInto: (workspace: string, of: { readonly job: string }) => Promise<void>;
}

/** Half of the uploads: slow servers leave places for those. */
const atOnce = 8;

function hasFiles(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return false;
    // A file: the step that brings the files refuses it in words.
    if (code === 'ENOTDIR') return true;
    throw error;
  }
}

export class GitFiles {
  readonly #workspaces: Workspaces;
  readonly #settings: GitSettings;
  readonly #shutdown: AbortSignal;
  readonly #observer: Around['observer'];
  #underWay = 0;

  constructor(workspaces: Workspaces, settings: GitSettings, { shutdown, observer }: Around) {
    this.#workspaces = workspaces;
    this.#settings = settings;
    this.#shutdown = shutdown;
    this.#observer = observer;
  }

  /**
   * Fetches the files of a commit, and calls `use` with them. When that rejects, a workspace that has got them is as it was.
   * @throws AppError as `receiveCommit`; `workspace-busy`; what `use` throws.
   */
  async withSource<T>(source: GitSource, wish: Wish, use: (files: SourceFiles) => Promise<T>): Promise<T> {
    const { workspace, owner, signal, check } = wish;
    if (workspace !== undefined) {
      checkWorkspaceName(workspace, 'workspace');
      this.#check(workspace, check);
    }
    const signals = [this.#shutdown, ...(signal ? [signal] : [])];
    return this.#workspaces.withFiles(
      { name: workspace, owner },
      async (place, room, limits) => {
        const maxSentBytes = await this.#mostSent(place.directory);
        const target = { ...place, limits, maxSentBytes, take: room.take };
        const { amount, ...came } = await this.#inTurn(async () =>
          receiveCommit(source, target, this.#settings, signals),
        );
        return { amount, came };
      },
      async ({ came: { commit, warnings }, putInto }) =>
        use({
          commit,
          warnings,
          putInto: async (name, of) =>
            putInto(name, { ...of, owner, source: commit, check: () => this.#check(name, check) }),
        }),
    );
  }

  /** All that a server sends lies on the disk beside the files that are made of it. */
  async #mostSent(directory: string): Promise<number> {
    const { maxBytes, minFreeBytes } = this.#workspaces.limits;
    const free = (await freeDiskBytes(directory)) ?? Infinity;
    return Math.max(0, Math.min(maxBytes, free - minFreeBytes));
  }

  /** @throws AppError `queue-full`. */
  async #inTurn<T>(receive: () => Promise<T>): Promise<T> {
    if (this.#underWay >= atOnce)
      throw new AppError('queue-full', `source: ${atOnce} repositories are being fetched; try again later`, {
        retryAfterSeconds: 10,
      });
    this.#underWay += 1;
    const startedAt = performance.now();
    let failure: ErrorCode | undefined;
    try {
      return await receive();
    } catch (error) {
      const told = asDiskError(error);
      failure = told instanceof AppError ? told.code : 'internal';
      throw error;
    } finally {
      this.#underWay -= 1;
      this.#observer().fetchEnded(performance.now() - startedAt, failure);
    }
  }

  /** @throws AppError `workspace-busy`: files that people have brought are not thrown away. */
  #check(workspace: string, check: Wish['check']): void {
    const workdir = this.#workspaces.directoryOf(workspace);
    check({ workdir, workspace });
    if (this.#workspaces.recordOf(workspace)?.source !== undefined || !hasFiles(workdir)) return;
    throw fieldError(
      'workspace-busy',
      'workspace',
      `"${workspace}" has files that did not come from Git: name another one, or remove it first (DELETE /workspaces/${workspace})`,
    );
  }
}
