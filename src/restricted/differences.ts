/** How the configurations of a lab differ from those of a snapshot, or of two snapshots. */
import type { NodeDifference } from '../labs/snapshots/compare.ts';
import { nodesOf } from '../labs/snapshots/snapshot-nodes.ts';
import { AppError } from '../lib/app-error.ts';
import type { Lab } from './lab.ts';
import { snapshotLabel } from './restore.ts';
import type { Snapshot, UserSnapshots } from './snapshot.ts';
import type { UserJobs } from './user-jobs.ts';

/** One side of a comparison; `snapshot` is null for the lab as it runs. */
interface Side {
  readonly snapshot: string | null;
  readonly at: string;
}

export interface Differences {
  readonly before: Side;
  readonly after: Side;
  readonly nodes: readonly NodeDifference[];
}

const sideOf = ({ name, kept }: Snapshot): Side => ({ snapshot: name, at: kept.createdAt });

/** @throws AppError as `Snapshot.compare`. */
export async function differencesBetween(
  before: Snapshot,
  after: Snapshot,
  signal: AbortSignal,
): Promise<Differences> {
  const nodes = await before.compare({ label: after.name, nodes: after.nodes() }, signal);
  return { before: sideOf(before), after: sideOf(after), nodes };
}

/** @throws AppError as `differencesBetween` and `LabNodes.configurations`. */
export async function differencesNow(before: Snapshot, lab: Lab, signal: AbortSignal): Promise<Differences> {
  const now = await lab.configurations(signal);
  const at = new Date().toISOString();
  const nodes = await before.compare({ label: 'now', nodes: nodesOf(now) }, signal);
  return { before: sideOf(before), after: { snapshot: null, at }, nodes };
}

interface Parts {
  readonly snapshots: UserSnapshots;
  readonly jobs: UserJobs;
}

/**
 * The snapshot of a lab that was made or started last. @throws AppError `snapshot-not-found` when there is none, `forbidden`.
 */
export async function lastSnapshotOf(lab: Lab, { snapshots, jobs }: Parts): Promise<Snapshot> {
  const workdir = await lab.directory();
  const made = snapshots.list().find((one) => one.kept.workdir === workdir && one.mayChange);
  const [start] = jobs.summaries({ workdir, labels: [snapshotLabel] }, 1);
  const startedFrom = start?.labels[snapshotLabel];
  const isStartLater = made === undefined || (start !== undefined && start.createdAt > made.kept.createdAt);
  const name = isStartLater ? startedFrom : made.name;
  if (name !== undefined) return snapshots.find(name, 'change');
  throw new AppError(
    'snapshot-not-found',
    `there is no snapshot of the lab "${lab.id}": keep one first, or name another with "snapshot"`,
  );
}
