import { realpathSync } from 'node:fs';
import { AppError } from '../lib/app-error.ts';
import { isInside } from '../lib/path-inside.ts';
import type { Environment, LabDriver } from './drivers/lab-driver.ts';

/** A lab as the lab CLI has it on record. */
export interface RecordedLab {
  readonly id: string;
  /** A real path, as long as there is such a directory. */
  readonly directory: string;
  /** In ms since 1970; null when the lab CLI does not tell. */
  readonly startedAtMs: number | null;
}

function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

/**
 * The labs that the lab CLI has on record now. At once, and without a run of it: nothing comes in between, and one that
 * hangs keeps nobody waiting.
 * @throws Error when its record cannot be read.
 */
export function recordedLabs(
  { files, status }: Pick<LabDriver, 'files' | 'status'>,
  env: Environment,
): readonly RecordedLab[] {
  return [...files.recordedLabs(env)].map(([id, entry]) => ({
    id,
    directory: realPathOf(status.directoryOf(entry) ?? ''),
    startedAtMs: status.startOf(entry)?.atMs ?? null,
  }));
}

/**
 * The lab that lives in `directory` (a real path) or below, of those that `recorded` gives.
 * @throws AppError `workspace-busy` when that cannot be told.
 */
export function findLabIn(directory: string, recorded: () => readonly RecordedLab[]): string | undefined {
  try {
    return recorded().find((lab) => isInside(directory, lab.directory))?.id;
  } catch (cause) {
    const message = `it cannot be told whether a lab lives in ${directory}: the lab CLI's list of labs cannot be read`;
    throw new AppError('workspace-busy', message, { cause, retryAfterSeconds: 10 });
  }
}
