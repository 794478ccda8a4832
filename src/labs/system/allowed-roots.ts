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

/** The directories (LAB_API_ROOTS) that a request may name paths in; none configured means anywhere. */
export class AllowedRoots {
  readonly #roots: readonly string[];
  readonly #workspaces: WorkspacesPlace | undefined;
  readonly #isInReach: (realPath: string) => boolean;

  /** Workspaces are allowed with any roots. A path that is not `isInReach` is never allowed. */
  constructor(
    roots: readonly string[],
    workspaces?: WorkspacesPlace,
    isInReach: (realPath: string) => boolean = () => true,
  ) {
    this.#roots = roots;
    this.#workspaces = workspaces;
    this.#isInReach = isInReach;
  }

  /** The same for a user who may use only some of the directories. */
  narrowedTo(isInReach: (realPath: string) => boolean): AllowedRoots {
    return new AllowedRoots(this.#roots, this.#workspaces, isInReach);
  }

  /** Those that are no directories at the moment, as they were configured. */
  missing(): readonly string[] {
    return this.#roots.filter((root) => !isDirectory(root));
  }

  /** Whether `realPath` (absolute, symbolic links resolved by the caller) lies in one of the roots. */
  allows(realPath: string): boolean {
    const workspaces = this.#workspaces;
    if (!this.#isInReach(realPath) || (workspaces && isInside(workspaces.ownDirectory, realPath)))
      return false;
    const roots = workspaces ? [...this.#roots, workspaces.directory] : this.#roots;
    return this.#roots.length === 0 || roots.some((root) => isInside(realPathOf(root), realPath));
  }

  /**
   * Throws `forbidden-path` when `realPath` (absolute, symbolic links resolved by the caller) lies in none of the
   * roots. Roots are resolved at each check: one that is mounted or re-linked later counts as what it is then.
   */
  check(realPath: string, field: string): void {
    if (this.allows(realPath)) return;
    const message = this.#isInReach(realPath)
      ? 'must lie inside one of the directories that this server allows (LAB_API_ROOTS)'
      : 'must lie inside one of the directories that you may use';
    throw fieldError('forbidden-path', field, message);
  }
}
