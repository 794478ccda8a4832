import type { Share } from '../../access/model/groups.ts';
import type { GitCommit } from '../model/git-source.ts';

/** They may change. */
export interface WorkspaceLimits {
  readonly maxFileBytes: number;
  /** Of one workspace. */
  readonly maxBytes: number;
  /** Files and directories of one workspace. */
  readonly maxFiles: number;
  /** Of all workspaces. */
  readonly maxTotalBytes: number;
  readonly minFreeBytes: number;
  /** How long a workspace is kept after its last use, in ms; undefined for ever. */
  readonly keepMs: number | undefined;
}

export interface Workspace {
  readonly name: string;
  /** Real path. */
  readonly workdir: string;
  readonly owner: string | null;
  /** With whom its owner shares it. */
  readonly shares: readonly Share[];
  /** The commit that its files came from; null when they came otherwise. */
  readonly source: GitCommit | null;
  readonly size: number;
  readonly files: number;
  readonly createdAt: string;
  readonly modifiedAt: string;
  /** The last change of a file, request for its files, job or lab there. */
  readonly lastUsedAt: string;
  /** When it may be removed unless it is used before; null while something is there, and if it is kept for ever. */
  readonly expiresAt: string | null;
  /** The instance that lives there; null when there is none. */
  readonly lab: string | null;
  /** The id of the job that runs or waits there; null when there is none. */
  readonly job: string | null;
}

/** Called first, and again inside the lock of the change. @throws AppError when the user may not change the workspace. */
export type MayChange = () => void;
