/** Joins workspaces with the labs that live in them. */
import type { Config } from '../config/config.ts';
import { ownDataDir } from '../jobs/store/data-dir-owner.ts';
import { WorkspacePlaces } from '../labs/workspaces/workspace-places.ts';
import type { JobUser } from '../labs/program/job-user.ts';
import type { WorkspaceUse } from '../labs/workspaces/workspace-use.ts';
import { Workspaces } from '../labs/workspaces/workspaces.ts';
import { messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';

interface Made {
  readonly workspaces: Workspaces;
  /** The parts of workspaces that labs use. */
  readonly forLabs: {
    readonly workspaces: WorkspacePlaces;
    readonly runAs: JobUser | undefined;
    readonly makeWorkspace: (name: string, owner: string | null) => Promise<void>;
  };
}

/** Nothing is touched before `prepareWorkspaces`; `use` need not be there before the first upload. */
export function createWorkspaces(
  {
    workspacesDir,
    workspaceLimits,
    minFreeDiskBytes: minFreeBytes,
    runAs,
  }: Config & { readonly runAs: JobUser | undefined },
  use: WorkspaceUse,
  log: Logger,
): Made {
  const places = new WorkspacePlaces(workspacesDir);
  const workspaces = new Workspaces({
    places,
    use,
    owner: runAs,
    limits: { ...workspaceLimits, minFreeBytes },
    log,
  });
  const makeWorkspace = async (name: string, owner: string | null): Promise<void> =>
    void (await workspaces.make(name, owner));
  return { workspaces, forLabs: { workspaces: places, runAs, makeWorkspace } };
}

/**
 * Locks the workspaces, also those in the own data directory, because another service may be configured to use them. The
 * result releases them.
 */
export async function prepareWorkspaces(
  { workspacesDir }: Config,
  workspaces: Workspaces,
): Promise<() => Promise<void>> {
  try {
    await workspaces.store.prepare();
    const giveUp = await ownDataDir(workspaces.store.ownDirectory);
    await workspaces.store.recover();
    const endWatch = workspaces.sizes.watch(async () => workspaces.store.names());
    return async () => {
      endWatch();
      await giveUp();
    };
  } catch (error) {
    const message = `cannot use the directory of the workspaces ${workspacesDir}: ${messageOf(error)}`;
    throw new Error(message, { cause: error });
  }
}
