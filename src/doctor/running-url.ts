import path from 'node:path';
import { defaultDataDir, type Environment } from '../config/config.ts';
import { withSettingsFile } from '../config/settings-file.ts';
import { livingOwner } from '../jobs/store/data-dir-owner.ts';

/**
 * Where the service that has the data directory listens, by its own note; undefined when none runs or the directory cannot be read.
 * Settings that have changed since its start, or are wrong now, do not count: of those, only the data directory is read.
 */
export async function runningUrl(given: Environment): Promise<URL | undefined> {
  try {
    const { env } = withSettingsFile(given);
    const owner = await livingOwner(path.resolve(env['LAB_API_DATA_DIR'] || defaultDataDir(env)));
    return owner?.url === undefined ? undefined : new URL(owner.url);
  } catch {
    return undefined;
  }
}
