/** Joins the owners of labs, and the quotas of users, with the jobs and the labs of this machine. */
import path from 'node:path';
import type { LocalJobs } from '../jobs/local-jobs.ts';
import { isTerminal, type Job } from '../jobs/model/job.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { specOf } from '../labs/model/actions.ts';
import type { Labs } from '../labs/labs.ts';
import type { Logger } from '../lib/logger.ts';
import { LabOwners } from '../owners/lab-owners.ts';
import type { UserDirectory } from '../access/users/user-directory.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Workspaces } from '../labs/workspaces/workspaces.ts';
import { Holdings } from '../quotas/holdings.ts';
import { UserQuotas } from '../quotas/user-quotas.ts';

interface CreateOwnersDeps {
  readonly dataDir: string;
  readonly labs: Labs;
  /** They need not be there before owners are opened. */
  readonly parts: () => {
    readonly store: JobStore;
    readonly jobs: LocalJobs;
    readonly workspaces: Workspaces;
    readonly users: UserDirectory;
    readonly cluster: Cluster | undefined;
  };
  readonly log: Logger;
}

/** A lab that is there was started by one of the last jobs in its directory. */
const startsMax = 20;

async function startsIn(store: JobStore, workdir: string): Promise<readonly Job[]> {
  const summaries = store.select(
    (job) => job.workdir === workdir && isTerminal(job.state) && specOf(job.action).startsLab === true,
    startsMax,
  );
  const jobs: Job[] = [];
  for (const { id } of summaries.toReversed()) {
    // A job that cannot be read is skipped: its lab then has no owner, so only administrators may change it.
    const job = await store.get(id).catch(() => undefined);
    if (job) jobs.push(job);
  }
  return jobs;
}

export function createOwners({ dataDir, labs, parts, log }: CreateOwnersDeps): {
  readonly owners: LabOwners;
  readonly quotas: UserQuotas;
} {
  const owners = new LabOwners({
    file: path.join(dataDir, 'lab-owners.json'),
    jobs: {
      unfinished: () => parts().store.unfinished(),
      startsIn: async (workdir) => startsIn(parts().store, workdir),
      onChange: (listener) => {
        const { store } = parts();
        store.on('change', listener);
        return () => store.off('change', listener);
      },
      whileClosed: async (action) => parts().jobs.whileClosed(action),
    },
    labs: () => labs.onRecord(),
    log,
  });
  const holdings = new Holdings({ labs, owners, parts });
  const quotas = new UserQuotas({
    holdings,
    quotas: () => parts().users.quotas,
    roleOf: (name) => parts().users.byName(name)?.role,
    elsewhere: () => parts().cluster?.usage,
  });
  return { owners, quotas };
}
