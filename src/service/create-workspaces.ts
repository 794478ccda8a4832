/** Joins workspaces with the labs that live in them. */
import path from 'node:path';
import type { Config, Environment } from '../config/config.ts';
import type { LiveSettings } from '../config/settings.ts';
import { wasAccepted } from '../jobs/intake/together.ts';
import { ownDataDir } from '../jobs/store/data-dir-owner.ts';
import { WorkspacePlaces } from '../labs/workspaces/workspace-places.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { LocalJobs } from '../jobs/local-jobs.ts';
import { GitFiles, type GitObserver } from '../labs/git/git-files.ts';
import type { Labs } from '../labs/labs.ts';
import type { JobUser } from '../labs/program/job-user.ts';
import { lookIntervalMs, UnusedWorkspaces } from '../labs/workspaces/unused-workspaces.ts';
import type { WorkspaceLimits } from '../labs/workspaces/workspace.ts';
import type { UploadQuotas } from '../labs/workspaces/workspace-room.ts';
import type { WorkspaceUse } from '../labs/workspaces/workspace-use.ts';
import { Workspaces } from '../labs/workspaces/workspaces.ts';
import { every } from '../lib/async/disposal.ts';
import { isInside } from '../lib/files/path-inside.ts';
import { systemClock } from '../lib/wall-clock.ts';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';

interface Made {
  readonly workspaces: Workspaces;
  /** The parts of workspaces that labs use. */
  readonly forLabs: {
    readonly workspaces: WorkspacePlaces;
    readonly runAs: JobUser | undefined;
    readonly makeWorkspace: (name: string, owner: string | null) => Promise<void>;
    readonly gitFiles: GitFiles;
  };
}

/** The parts that know of the labs and jobs in workspaces. */
interface Parts {
  readonly labs: Pick<Labs, 'seeAll' | 'labIn' | 'layoutsFor'>;
  readonly store: Pick<JobStore, 'unfinished' | 'summaries'>;
  readonly jobs: Pick<LocalJobs, 'whileClosed'>;
  readonly quotas: UploadQuotas;
  readonly metrics: { readonly git: GitObserver };
}

interface CreateWorkspacesDeps extends Config {
  /** The service's own. */
  readonly env: Environment;
  readonly shutdown: AbortSignal;
  readonly runAs: JobUser | undefined;
}

/** The limits of workspaces, and of what is to become one, as the settings are at each moment. */
export function limitsOf(live: LiveSettings, maxTotalBytes: () => number): Omit<WorkspaceLimits, 'keepMs'> {
  return {
    get maxFileBytes() {
      return live.maxFileBytes;
    },
    get maxBytes() {
      return live.maxWorkspaceBytes;
    },
    get maxFiles() {
      return live.maxWorkspaceFiles;
    },
    get maxTotalBytes() {
      return maxTotalBytes();
    },
    get minFreeBytes() {
      return live.minFreeDiskBytes;
    },
  };
}

/** Nothing is touched before `prepareWorkspaces`; `parts` is called at the first upload, so the parts may be made later. */
export function createWorkspaces(
  { workspacesDir, live, keepWorkspacesMs: keepMs, git, env, shutdown, runAs }: CreateWorkspacesDeps,
  parts: () => Parts,
  log: Logger,
): Made {
  const use: WorkspaceUse = {
    seeLabs: async (isInHaste) => parts().labs.seeAll(isInHaste),
    labIn: (directory) => parts().labs.labIn(directory),
    jobIn: (directory) =>
      parts()
        .store.unfinished()
        .find(({ workdir }) => isInside(directory, workdir))?.id,
    whileClosed: async (action) => parts().jobs.whileClosed(action),
  };
  const places = new WorkspacePlaces(workspacesDir);
  const workspaces = new Workspaces({
    places,
    use,
    quotas: {
      limitsWorkspacesOf: (owner) => parts().quotas.limitsWorkspacesOf(owner),
      assertWithinQuota: (...upload) => parts().quotas.assertWithinQuota(...upload),
    },
    owner: runAs,
    onGone: async (directory) => (await parts().labs.layoutsFor(directory)).forget(directory),
    // Not spread: that would read the settings now.
    limits: Object.assign(
      limitsOf(live, () => live.maxAllWorkspacesBytes),
      { keepMs },
    ),
    log,
  });
  const makeWorkspace = async (name: string, owner: string | null): Promise<void> =>
    void (await workspaces.make(name, owner));
  const gitFiles = new GitFiles(
    workspaces,
    { ...git, env },
    { shutdown, observer: () => parts().metrics.git },
  );
  return { workspaces, forLabs: { workspaces: places, runAs, makeWorkspace, gitFiles } };
}

/**
 * Locks the workspaces, also those in the own data directory, because another service may be configured to use them. The
 * result releases them.
 */
export async function prepareWorkspaces(
  { workspacesDir, dataDir }: Config,
  workspaces: Workspaces,
): Promise<() => Promise<void>> {
  try {
    await workspaces.store.prepare();
    const giveUp = await ownDataDir(workspaces.store.ownDirectory);
    await workspaces.store.recover(async (job) => wasAccepted(path.join(dataDir, 'jobs'), job));
    await workspaces.uses.load(await workspaces.store.names());
    const endWatch = workspaces.sizes.watch(async () => workspaces.store.names());
    return async () => {
      endWatch();
      await workspaces.uses.save();
      await giveUp();
    };
  } catch (error) {
    const message = `cannot use the directory of the workspaces ${workspacesDir}: ${messageOf(error)}`;
    throw new Error(message, { cause: error });
  }
}

interface RemovalDeps {
  readonly workspaces: Workspaces;
  readonly store: Pick<JobStore, 'summaries'>;
  readonly shutdown: AbortSignal;
  /** Called after each removal. */
  readonly onRemoved: (name: string) => void;
  readonly log: Logger;
}

/** Removes unused workspaces from now on, if the settings say so; call it when the jobs are known. The result ends it. */
export async function removeUnused({
  workspaces,
  store,
  shutdown,
  ...told
}: RemovalDeps): Promise<() => void> {
  // A job may have ended while no service ran, or right before a crash.
  const names = new Set(await workspaces.store.names());
  for (const { workdir, finishedAt } of store.summaries()) {
    const name = workspaces.nameOf(workdir);
    if (name !== null && finishedAt !== null && names.has(name))
      workspaces.uses.noteEarlier(name, Date.parse(finishedAt));
  }
  const { keepMs } = workspaces.limits;
  if (keepMs === undefined) return () => undefined;
  const unused = new UnusedWorkspaces({ workspaces, keepMs, clock: systemClock, ...told });
  const look = (): void => void unused.look(shutdown);
  look();
  return every(lookIntervalMs(keepMs), look);
}
