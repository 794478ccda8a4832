/** Joins what is counted and measured with the parts that it looks at. */
import type { Audit } from '../access/audit/audit.ts';
import type { Config } from '../config/config.ts';
import type { Webhooks } from '../events/webhooks/webhooks.ts';
import type { LabFaults } from '../faults/lab-faults.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { Labs } from '../labs/labs.ts';
import type { Snapshots } from '../labs/snapshots/snapshots.ts';
import { freeDiskBytes } from '../lib/files/free-disk.ts';
import { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { UserQuotas } from '../quotas/user-quotas.ts';
import { version } from '../version.ts';

interface Measured {
  readonly store: JobStore;
  readonly labs: Labs;
  readonly audit: Audit;
  readonly webhooks: Webhooks;
  readonly faults: Pick<LabFaults, 'count'>;
  /** They are made last. */
  readonly snapshots: () => Pick<Snapshots, 'list' | 'totalBytes'>;
  readonly quotas: Pick<UserQuotas, 'refused'>;
}

/** `parts` is called at each request, so the parts may be made later. */
export function createMetrics(config: Config, parts: () => Measured): ServiceMetrics {
  const { live, dataDir } = config;
  return new ServiceMetrics({
    version,
    limits: live,
    jobNumbers: () => {
      const unfinished = parts().store.unfinished();
      const queued = unfinished.filter((job) => job.state === 'queued').length;
      return { queued, running: unfinished.length - queued };
    },
    storage: {
      freeBytes: async () => freeDiskBytes(dataDir),
      minFreeBytes: () => live.minFreeDiskBytes,
      damagedRecords: async () => (await parts().store.unrecorded()).length,
    },
    labs: {
      lastSeen: () => parts().labs.lastSeen,
      refresh: (olderThanMs) => parts().labs.refresh(olderThanMs),
      faults: () => parts().faults.count,
    },
    snapshots: {
      count: () => parts().snapshots().list().length,
      bytes: () => parts().snapshots().totalBytes,
      maxBytes: () => live.maxAllSnapshotsBytes,
    },
    quotas: { refused: () => parts().quotas.refused },
    audit: { diverted: () => parts().audit.diverted },
    webhooks: { counts: () => parts().webhooks.counts, backlog: () => parts().webhooks.backlog },
  });
}
