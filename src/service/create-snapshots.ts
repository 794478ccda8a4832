/** Joins snapshots with the jobs that must not begin while one gets its name. */
import path from 'node:path';
import type { Config } from '../config/config.ts';
import type { LocalJobs } from '../jobs/local-jobs.ts';
import { SnapshotStore } from '../labs/snapshots/snapshot-store.ts';
import { Snapshots } from '../labs/snapshots/snapshots.ts';
import type { Logger } from '../lib/logger.ts';
import { limitsOf } from './create-workspaces.ts';

/** Nothing is touched before `open`. The limits are those of a workspace, which a snapshot is to become. */
export function createSnapshots(
  { dataDir, live }: Pick<Config, 'dataDir' | 'live'>,
  jobs: Pick<LocalJobs, 'whileClosed'>,
  log: Logger,
): Snapshots {
  return new Snapshots({
    store: new SnapshotStore(path.join(dataDir, 'snapshots'), log),
    limits: limitsOf(live, () => live.maxAllSnapshotsBytes),
    whileClosed: async (action) => jobs.whileClosed(action),
    log,
  });
}
