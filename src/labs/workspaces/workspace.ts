export interface WorkspaceLimits {
  readonly maxFileBytes: number;
  /** Of one workspace. */
  readonly maxBytes: number;
  /** Files and directories of one workspace. */
  readonly maxFiles: number;
  /** Of all workspaces. */
  readonly maxTotalBytes: number;
  readonly minFreeBytes: number;
}

export interface Workspace {
  readonly name: string;
  /** Real path. */
  readonly workdir: string;
  readonly owner: string | null;
  readonly size: number;
  readonly files: number;
  readonly createdAt: string;
  readonly modifiedAt: string;
  /** The instance that lives there; null when there is none. */
  readonly lab: string | null;
  /** The id of the job that runs or waits there; null when there is none. */
  readonly job: string | null;
}

/** Called first, and again inside the lock of the change. @throws AppError when the user may not change the workspace. */
export type MayChange = () => void;
