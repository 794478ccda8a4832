import { statSync } from 'node:fs';
import { fieldError } from '../../lib/app-error.ts';
import { isInside } from '../../lib/files/path-inside.ts';
import { realPathOf } from '../../lib/files/real-path.ts';

function isDirectory(root: string): boolean {
  try {
    return statSync(root).isDirectory();
  } catch {
    return false;
  }
}

/** The directory of workspaces, and the private part of it that holds their owners, among others. Requests must not name that part. */
interface WorkspacesPlace {
  readonly directory: string;
  readonly ownDirectory: string;
}

const remedy = 'use another directory, or a workspace';

/** The places of the service itself. */
interface OwnPlaces {
  readonly workspaces?: WorkspacesPlace;
  readonly dataDir?: string;
  /** The working directory of jobs that name none. */
  readonly serverDirectory?: string;
}

/**
 * The directories (LAB_API_ROOTS) that a request may name paths in; none configured means anywhere but the data directory. These
 * may lie below it: workspaces, the directory of the server, and roots.
 */
export class AllowedRoots {
  readonly #roots: readonly string[];
  readonly #own: OwnPlaces;
  readonly #isInReach: (realPath: string) => boolean;

  /** Workspaces are allowed with any roots. A path that is not `isInReach` is never allowed. */
  constructor(
    roots: readonly string[],
    own: OwnPlaces = {},
    isInReach: (realPath: string) => boolean = () => true,
  ) {
    this.#roots = roots;
    this.#own = own;
    this.#isInReach = isInReach;
  }

  /** The same for a user who may use only some of the directories. */
  narrowedTo(isInReach: (realPath: string) => boolean): AllowedRoots {
    return new AllowedRoots(this.#roots, this.#own, isInReach);
  }

  /** Those that are no directories at the moment, as they were configured. */
  missing(): readonly string[] {
    return this.#roots.filter((root) => !isDirectory(root));
  }

  /** Whether `realPath` (absolute, symbolic links resolved by the caller) lies in one of the roots. */
  allows(realPath: string): boolean {
    const { workspaces } = this.#own;
    if (!this.#isInReach(realPath) || this.isPrivate(realPath)) return false;
    const roots = workspaces ? [...this.#roots, workspaces.directory] : this.#roots;
    return this.#roots.length === 0 || roots.some((root) => isInside(realPathOf(root), realPath));
  }

  /** Whether `realPath` is, or lies in, a directory of the service that no request may name. */
  isPrivate(realPath: string): boolean {
    const { workspaces, dataDir, serverDirectory } = this.#own;
    if (workspaces && isInside(workspaces.ownDirectory, realPath)) return true;
    if (dataDir === undefined) return false;
    const closed = realPathOf(dataDir);
    if (!isInside(closed, realPath)) return false;
    return ![serverDirectory, workspaces?.directory, ...this.#roots].some((open) => {
      const place = open === undefined ? closed : realPathOf(open);
      return place !== closed && isInside(closed, place) && isInside(place, realPath);
    });
  }

  /**
   * As `check`, for a directory that a lab CLI writes to, and may empty: it must not contain the data directory either, unless the
   * server was started there.
   */
  checkDirectory(realPath: string, field: string): void {
    this.check(realPath, field);
    const { dataDir, serverDirectory } = this.#own;
    if (dataDir === undefined || !isInside(realPath, realPathOf(dataDir))) return;
    if (serverDirectory !== undefined && realPath === realPathOf(serverDirectory)) return;
    throw fieldError('forbidden-path', field, `must not contain the data directory of the server; ${remedy}`);
  }

  /**
   * Throws `forbidden-path` when `realPath` (absolute, symbolic links resolved by the caller) lies in none of the
   * roots. Roots are resolved at each check: one that is mounted or re-linked later counts as what it is then.
   */
  check(realPath: string, field: string): void {
    if (this.allows(realPath)) return;
    if (this.#isInReach(realPath) && this.isPrivate(realPath))
      throw fieldError(
        'forbidden-path',
        field,
        `must not lie in the data directory of the server; ${remedy}`,
      );
    const message = this.#isInReach(realPath)
      ? 'must lie inside one of the directories that this server allows (LAB_API_ROOTS)'
      : 'must lie inside one of the directories that you may use';
    throw fieldError('forbidden-path', field, message);
  }
}
