/** Starts labs from a snapshot: workspaces with its files, and the jobs that start a lab in each. */
import type { JobView } from '../jobs/model/job-view.ts';
import type { Labs } from '../labs/labs.ts';
import type { LabDriver } from '../labs/drivers/lab-driver.ts';
import { takesOption } from '../labs/drivers/drivers.ts';
import { actions, type Action } from '../labs/model/actions.ts';
import { configurationsName, type Snapshot } from '../labs/snapshots/snapshot.ts';
import { checkWorkspaceName } from '../labs/workspaces/workspace-places.ts';
import { AppError } from '../lib/app-error.ts';
import type { UserJobs } from './user-jobs.ts';
import type { UserWorkspaces, Workspace } from './workspace.ts';

/** The wish of a client. */
export interface WantedRestore {
  /** With several copies the beginning of their names: `class` for `class-1`, `class-2`, … */
  readonly workspace: string;
  /** Absent: one, without a number. */
  readonly copies?: number | undefined;
  /** Whether a workspace that is there loses its files. */
  readonly replace?: boolean | undefined;
  readonly multilabId?: number | 'auto' | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly waitReadySeconds?: number | undefined;
}

export interface Restored {
  readonly workspace: string;
  /** The first starts the lab; another one configures the nodes whose configuration is not in the snapshot. */
  readonly jobs: readonly JobView[];
}

/** The request that asks for it. */
export interface RestoreRun {
  readonly onThisHost: OnThisHost;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

interface RestoreParts extends RestoreRun {
  readonly labs: Labs;
  readonly jobs: UserJobs;
  readonly workspaces: UserWorkspaces;
  readonly requestedBy: string | null;
  readonly withFiles: WithFiles;
}

/** Calls `make`, which makes workspaces of these names, if no other host of the cluster has one of them. @throws AppError. */
type OnThisHost = <T>(names: readonly string[], make: () => Promise<T>) => Promise<T>;

/**
 * Calls `use` with the function that puts the files of the snapshot into a workspace, for a job. When `use` rejects, the workspace
 * is as it was. @throws AppError `workspace-busy` when it is there and must be new.
 */
export type WithFiles = <T>(
  workspace: Workspace,
  mustBeNew: boolean,
  use: (put: (job: string) => Promise<void>) => Promise<T>,
) => Promise<T>;

/** The label of a job that says which snapshot its lab came from. */
export const snapshotLabel = 'snapshot';

/** netlab's group of the nodes whose devices take no configuration back (netsim/augment/nodes.py). */
const withoutReload = 'netlab_no_reload';
const longestLimit = 4_000;

function namesOf({ workspace, copies }: WantedRestore): readonly string[] {
  checkWorkspaceName(workspace, 'workspace');
  if (copies === undefined) return [workspace];
  const names = Array.from({ length: copies }, (_, at) => `${workspace}-${at + 1}`);
  for (const name of names) checkWorkspaceName(name, 'workspace');
  return names;
}

/** @throws AppError `not-supported` when this server cannot start such labs. */
function driverFor({ cli, start }: Snapshot, { copies }: WantedRestore, labs: Labs): LabDriver {
  const driver = labs.members.find(({ name }) => name === cli)?.describe().driver;
  if (driver === undefined)
    throw new AppError(
      'not-supported',
      `this server has no lab CLI "${cli}", which the lab was started with`,
    );
  const action = actions.find((one) => one === start['action']);
  if (copies !== undefined && action !== undefined && !takesOption(driver, 'multilabId', action))
    throw new AppError(
      'not-supported',
      `copies: "${cli}" takes no multilab ids, so that all copies would be one lab; leave "copies" out`,
    );
  return driver;
}

/**
 * For a workspace that loses its files: netlab and the engine refuse to start a lab whose id another one has.
 * @throws AppError `conflict`.
 */
function assertIdIsFree({ start }: Snapshot, { multilabId, replace }: WantedRestore, labs: Labs): void {
  const asked = multilabId ?? start['multilabId'] ?? 'default';
  const lab = labs.onRecord().labs.find(({ id }) => id === asked || Number(id) === asked);
  if (replace !== true || lab === undefined) return;
  const message = `a lab with the id ${lab.id} is running already: take it down, or give "multilabId": "auto"`;
  throw new AppError('conflict', message);
}

interface Reloading {
  /** The action for the `others`. */
  readonly action: Action;
  /** The nodes whose configuration is not in the snapshot. */
  readonly others: readonly string[];
}

/** How the lab CLI takes the configurations back; undefined where it does not, or there are none. */
function reloadingOf({ nodes }: Snapshot, driver: LabDriver): Reloading | undefined {
  const { afterReload } = driver.nodes;
  const others = nodes.filter(({ kept }) => kept !== 'configuration').map(({ node }) => node);
  const isNothingKept = others.length === nodes.length;
  return afterReload === undefined || isNothingKept ? undefined : { action: afterReload, others };
}

/** The parts of the lab that do not come back, in sentences for a person. */
function warningsOf(
  { nodes, leftOutCount, cli }: Snapshot,
  reloading: Reloading | undefined,
): readonly string[] {
  const has = (kept: Snapshot['nodes'][number]['kept']) => nodes.filter((one) => one.kept === kept);
  const failed = has('failed').map(({ node }) => node);
  return [
    ...(reloading === undefined && has('configuration').length > 0
      ? [
          `"${cli}" takes no configurations back: the nodes start as the topology says; the configurations are in ${configurationsName} of the workspace`,
        ]
      : []),
    ...(failed.length > 0
      ? [`the snapshot has no configuration of ${failed.join(', ')}: they start as the topology says`]
      : []),
    ...(leftOutCount > 0 ? [`the snapshot is without ${leftOutCount} of the files of the lab`] : []),
  ];
}

function bodiesFor(
  workspace: string,
  { name, directory, start }: Snapshot,
  wanted: WantedRestore,
  reloading: Reloading | undefined,
): readonly Readonly<Record<string, unknown>>[] {
  const { noConfig, ...configured } = start;
  const {
    multilabId = wanted.copies === undefined ? undefined : 'auto',
    ttlSeconds,
    waitReadySeconds,
  } = wanted;
  const place = { workspace, ...(directory !== '' && { workdir: directory }), cli: start['cli'] };
  const labels = { [snapshotLabel]: name };
  const up = {
    ...configured,
    ...(reloading === undefined && noConfig !== undefined && { noConfig }),
    ...(reloading && { reloadConfig: configurationsName }),
    ...(multilabId !== undefined && { multilabId }),
    ...(ttlSeconds !== undefined && { ttlSeconds }),
    ...(waitReadySeconds !== undefined && { waitReadySeconds }),
    ...place,
    labels,
  };
  if (reloading === undefined || reloading.others.length === 0) return [up];
  const names = reloading.others.join(',');
  const limit = names.length > longestLimit ? withoutReload : names;
  return [up, { action: reloading.action, ...place, limit, labels }];
}

/**
 * Brings the files to the workspaces, and queues the jobs of all of them or none. When it fails, or a crash comes before, the
 * workspaces are as they were.
 * @throws AppError `invalid-request`, `workspace-busy`; as `Workspaces.replace` and `UserJobs.submitTogether`.
 */
export async function restoreSnapshot(
  snapshot: Snapshot,
  wanted: WantedRestore,
  { labs, jobs, workspaces, ...parts }: RestoreParts,
): Promise<{ readonly labs: readonly Restored[]; readonly warnings: readonly string[] }> {
  const names = namesOf(wanted);
  const mustBeNew = wanted.copies !== undefined || wanted.replace !== true;
  const driver = driverFor(snapshot, wanted, labs);
  const reloading = reloadingOf(snapshot, driver);
  const found = names.map((name) => workspaces.find(name, 'make'));
  // Before the first of them is made.
  if (mustBeNew) for (const workspace of found) workspace.assertIsFree();
  const bodies = names.map((name) => bodiesFor(name, snapshot, wanted, reloading));
  const [first = []] = bodies;
  await jobs.assertRoomFor({
    actions: bodies.flat().flatMap(({ action }) => actions.filter((one) => one === action)),
    nodeCount: snapshot.nodes.length,
    // Of a workspace that is replaced, the files that go make room.
    workspaceBytes: mustBeNew ? snapshot.bytes * names.length : 0,
  });
  const puts: ((job: string) => Promise<void>)[] = [];
  const submit = async (): Promise<readonly JobView[]> =>
    jobs.submitTogether(bodies.flat(), parts.requestedBy, async (ids) => {
      // All of them are there; each is for the first of its jobs.
      for (const [at, put] of puts.entries()) await put(ids[at * first.length] ?? '');
    });
  const received = async ([workspace, ...others]: readonly Workspace[]): Promise<readonly JobView[]> => {
    parts.signal.throwIfAborted();
    if (workspace === undefined) {
      assertIdIsFree(snapshot, wanted, labs);
      return submit();
    }
    return parts.withFiles(workspace, mustBeNew, async (put) => {
      puts.push(put);
      return received(others);
    });
  };
  const queued = await parts.onThisHost(names, async () => received(found));
  const restored = names.map((workspace) => ({
    workspace,
    jobs: queued.filter((job) => job.workspace === workspace),
  }));
  return { labs: restored, warnings: warningsOf(snapshot, reloading) };
}
