import { AppError } from '../../lib/app-error.ts';
import { isInside } from '../../lib/files/path-inside.ts';
import { realPathOf } from '../../lib/files/real-path.ts';
import type { LabDriver } from '../drivers/lab-driver.ts';
import type { LabEntries } from '../drivers/status-driver.ts';

/** A lab as the lab CLI has it on record. */
export interface RecordedLab {
  readonly id: string;
  /** A real path, as long as there is such a directory. */
  readonly directory: string;
  /** In ms since 1970; null when the lab CLI does not tell. */
  readonly startedAtMs: number | null;
}

/** The real path of a lab's directory; empty when it is unknown, for which Node would resolve its own directory. */
export function realDirectoryOf(directory: string | null | undefined): string {
  return directory ? realPathOf(directory) : '';
}

/**
 * The labs that the lab CLI has on record now; for a lab CLI without a record, those of its last status. Runs no program, so
 * the answer is synchronous and does not wait for a lab CLI that hangs.
 * @throws Error if the record cannot be read, or if there was no status yet.
 */
export function recordedLabs(
  { files, status }: Pick<LabDriver, 'files' | 'status'>,
  entriesOf: (files: LabDriver['files']) => LabEntries | undefined,
): readonly RecordedLab[] {
  const entries = entriesOf(files);
  if (entries === undefined) throw new Error('the lab CLI has not told which labs there are');
  return [...entries].map(([id, entry]) => ({
    id,
    directory: realDirectoryOf(status.directoryOf(entry)),
    startedAtMs: status.startOf(entry)?.atMs ?? null,
  }));
}

/**
 * The lab that lives in `directory` (a real path) or below, of those that `recorded` gives.
 * @throws AppError `workspace-busy` if that is unknown.
 */
export function findLabIn(directory: string, recorded: () => readonly RecordedLab[]): string | undefined {
  try {
    return recorded().find((lab) => isInside(directory, lab.directory))?.id;
  } catch (cause) {
    const message = `it is unknown whether a lab lives in ${directory}: the lab CLI's list of labs cannot be read`;
    throw new AppError('workspace-busy', message, { cause, retryAfterSeconds: 10 });
  }
}
