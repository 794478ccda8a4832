import { realpathSync } from 'node:fs';
import { AppError } from '../lib/app-error.ts';
import { isInside } from '../lib/path-inside.ts';
import type { Environment, LabDriver } from './drivers/lab-driver.ts';

function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

/**
 * The lab that lives in `directory` (a real path) or below, by what the lab CLI has on record now. At once, and without a run
 * of the lab CLI: nothing comes in between, and one that hangs keeps nobody waiting.
 * @throws AppError `workspace-busy` when it cannot be told.
 */
export function findLabIn(
  directory: string,
  { files }: Pick<LabDriver, 'files'>,
  env: Environment,
): string | undefined {
  try {
    const labs = [...files.recordedLabs(env)];
    return labs.find(([, place]) => isInside(directory, realPathOf(place)))?.[0];
  } catch (cause) {
    const message = `it cannot be told whether a lab lives in ${directory}: the lab CLI's list of labs cannot be read`;
    throw new AppError('workspace-busy', message, { cause, retryAfterSeconds: 10 });
  }
}
