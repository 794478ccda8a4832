import { ServiceMetrics, type DescribedMetric } from './service-metrics.ts';

/** Every metric that there can be, of a service that is not there: for the table in docs/operations.md, and for what is held against it. */
export function describeMetrics(): readonly DescribedMetric[] {
  return new ServiceMetrics({
    version: '0',
    limits: { maxQueuedJobs: 0, maxRunningJobs: 0 },
    jobNumbers: () => ({ queued: 0, running: 0 }),
    storage: {
      freeBytes: () => Promise.resolve(undefined),
      minFreeBytes: 0,
      damagedRecords: () => Promise.resolve(0),
    },
    labs: { lastSeen: () => undefined, refresh: () => undefined },
    webhooks: { counts: () => ({}), backlog: () => 0 },
    audit: { diverted: () => 0 },
  }).describe();
}
