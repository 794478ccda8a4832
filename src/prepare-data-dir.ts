import { inspectDataDir, ownDataDir } from './jobs/store/data-dir-owner.ts';
import { messageOf } from './lib/app-error.ts';
import type { Logger } from './lib/logger.ts';
import { makeDirectories } from './lib/make-directories.ts';

/** Makes the data directory, and has it to itself; the result gives it up. @throws Error with one sentence. */
export async function prepareDataDir(dataDir: string, log: Logger): Promise<() => Promise<void>> {
  try {
    await makeDirectories(dataDir, 0o700);
  } catch (error) {
    throw new Error(`cannot make the data directory ${dataDir}: ${messageOf(error)}`, { cause: error });
  }
  const warning = await inspectDataDir(dataDir);
  if (warning !== undefined) log.warn(warning);
  return ownDataDir(dataDir);
}
