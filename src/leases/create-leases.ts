/** Joins leases to the jobs, labs and events of this machine. */
import path from 'node:path';
import type { LocalJobs } from '../jobs/local-jobs.ts';
import { isTerminal } from '../jobs/model/job.ts';
import type { FreeIdPort } from '../jobs/model/lab-port.ts';
import { presenceOf } from '../jobs/store/record-files.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { FreeIds } from '../labs/ids/free-ids.ts';
import type { CliLabs } from '../labs/cli-labs.ts';
import type { Labs } from '../labs/labs.ts';
import type { Logger } from '../lib/logger.ts';
import { LabLeases } from './lab-leases.ts';
import type { LeaseEndingsDeps } from './lease-endings.ts';
import type { LeaseJobs } from './lease-jobs.ts';
import { startsLab, stopsLab, type LeaseLimits } from './lease-limits.ts';
import { leaseLabs } from './seen-labs.ts';
import { systemClock } from '../lib/wall-clock.ts';

interface CreateLeasesDeps {
  readonly config: { readonly live: LeaseLimits; readonly dataDir: string };
  readonly labs: Labs;
  /** Read when the leases are opened or an id is needed, so the parts may be made later. */
  readonly parts: () => {
    readonly store: JobStore;
    readonly jobs: LocalJobs;
    readonly events: { readonly tellLease: LeaseEndingsDeps['tell'] };
  };
  readonly log: Logger;
}

function leaseJobs(parts: CreateLeasesDeps['parts']): LeaseJobs {
  return {
    unfinished: () => parts().store.unfinished(),
    get: async (id) => parts().store.get(id),
    lastOf: async (workdir) => {
      const { store } = parts();
      // Only the record says whether it was a dry run. A dry run after the `up` may start the lease again.
      const [last] = store.select((job) => {
        const isAbout = job.workdir === workdir && job.state === 'success';
        return isAbout && (startsLab({ ...job, request: {} }) || stopsLab({ ...job, request: {} }));
      }, 1);
      return last && store.get(last.id);
    },
    onEnd: (listener) => {
      const { store } = parts();
      const onChange: Parameters<typeof store.on<'change'>>[1] = (job, before) => {
        // A record that could not be written is reported again.
        if (isTerminal(job.state) && before?.state !== job.state) listener(job);
      };
      store.on('change', onChange);
      return () => store.off('change', onChange);
    },
    takeDown: async ({ job: id, action, workdir, labels, cli }) =>
      parts().jobs.endLease({ id, action, workdir, labels, cli }),
    cancel: async (id) => {
      await parts().jobs.cancel(id, { by: 'a longer lease', force: false, waitMs: 0 });
    },
  };
}

interface FreeIdsOfAll extends FreeIdPort {
  readonly noteEnd: FreeIds['noteEnd'];
}

/** Each lab CLI has ids of its own. One that a lab of another one has is taken all the same: people tell labs apart by them. */
function freeIdsOfAll(
  members: readonly CliLabs[],
  { config, parts, log }: Pick<CreateLeasesDeps, 'config' | 'parts' | 'log'>,
): FreeIdsOfAll {
  const idsOf = (labs: CliLabs): FreeIds =>
    new FreeIds({
      directory: () => path.join(labs.sharedDirectory(), 'ids'),
      jobsDirectory: path.join(config.dataDir, 'jobs'),
      listed: async (fresh) => {
        const own = await labs.status.entries(fresh);
        const rest = members.filter((other) => other !== labs);
        // Errors of other lab CLIs must not prevent the choice of an id.
        const more = rest.map(async ({ status }) =>
          status.entries(fresh).catch(() => new Map<string, unknown>()),
        );
        return [...own.keys(), ...(await Promise.all(more)).flatMap((entries) => [...entries.keys()])];
      },
      idIn: async (directory) => labs.places.idIn(directory),
      avoided: async () => labs.instancesToAvoid(),
      instancesOfJobs: () => {
        const { store } = parts();
        return store.unfinished().flatMap(({ instance }) => instance ?? []);
      },
      presenceOf,
      log,
    });
  const all = members.map((labs) => ({ labs, ids: idsOf(labs) }));
  return {
    take: async (cli, workdir) => {
      const own = all.find(({ labs }) => labs.name === cli) ?? all[0];
      if (own === undefined) throw new Error('there is no lab CLI');
      return own.ids.take(workdir);
    },
    noteEnd: (job) => {
      for (const { ids } of all) ids.noteEnd(job);
    },
  };
}

/** How long labs live, and which ids are free. Nothing is touched on disk before they are opened, or asked. */
export function createLeases({ config, labs, parts, log }: CreateLeasesDeps): {
  readonly leases: LabLeases;
  readonly freeIds: FreeIdsOfAll;
} {
  const freeIds = freeIdsOfAll(labs.members, { config, parts, log });
  const leases = new LabLeases({
    file: path.join(config.dataDir, 'leases.json'),
    limits: config.live,
    jobs: leaseJobs(parts),
    labs: leaseLabs(labs),
    tell: (lab, news) => parts().events.tellLease(lab, news),
    clock: systemClock,
    log,
  });
  return { leases, freeIds };
}
