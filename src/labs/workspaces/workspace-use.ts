import { AppError } from '../../lib/app-error.ts';

/** The labs and jobs in workspaces; `service.ts` joins it from jobs and labs. */
export interface WorkspaceUse {
  /** To be awaited before `labIn`, which does not look by itself. Never rejects. In haste, it does not wait for a lab CLI that hangs. */
  readonly seeLabs: (isInHaste?: boolean) => Promise<void>;
  /** The lab that lives in `directory` (a real path) or below; undefined when there is none. @throws AppError `workspace-busy` when that is unknown. */
  readonly labIn: (directory: string) => string | undefined;
  /** A job that runs, or waits, in `directory` or below. */
  readonly jobIn: (directory: string) => string | undefined;
  /** Runs `action` while no job is accepted; it must not take long. */
  readonly whileClosed: <T>(action: () => Promise<T>) => Promise<T>;
}

/** The lab that lives in `directory`; null also while that is unknown, which hides no workspace. */
export function knownLabIn({ labIn }: WorkspaceUse, directory: string): string | null {
  try {
    return labIn(directory) ?? null;
  } catch {
    return null;
  }
}

/** @throws AppError `workspace-busy` while a job runs, or waits, in the workspace. */
export function assertNoJob({ jobIn }: WorkspaceUse, name: string, directory: string): void {
  const job = jobIn(directory);
  if (job !== undefined)
    throw new AppError('workspace-busy', `the job ${job} is at work in "${name}"`, {
      extra: { conflictingJobId: job },
      retryAfterSeconds: 10,
    });
}

/** @throws AppError `workspace-busy` while a job or a lab is in the workspace. */
export function assertUnused(use: WorkspaceUse, name: string, directory: string): void {
  assertNoJob(use, name, directory);
  const lab = use.labIn(directory);
  if (lab !== undefined)
    throw new AppError('workspace-busy', `the lab "${lab}" lives in "${name}"; stop it first ("down")`);
}
