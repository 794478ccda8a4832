import { ServiceMetrics, type DescribedMetric, type MetricsSources } from './service-metrics.ts';

/** Those of a service that is not there. */
export const noSources: MetricsSources = {
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
};

/** Every metric that there can be: for the table in docs/operations.md, and for what is held against it. */
export function describeMetrics(): readonly DescribedMetric[] {
  return new ServiceMetrics(noSources).describe();
}
