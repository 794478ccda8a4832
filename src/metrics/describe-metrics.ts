import { ServiceMetrics, type DescribedMetric, type MetricsSources } from './service-metrics.ts';

/** The sources of a service that does nothing. */
export const noSources: MetricsSources = {
  version: '0',
  limits: { maxQueuedJobs: 0, maxRunningJobs: 0 },
  jobNumbers: () => ({ queued: 0, running: 0 }),
  storage: {
    freeBytes: () => Promise.resolve(undefined),
    minFreeBytes: () => 0,
    damagedRecords: () => Promise.resolve(0),
  },
  labs: { lastSeen: () => undefined, refresh: () => undefined, faults: () => 0 },
  webhooks: { counts: () => ({}), backlog: () => 0 },
  audit: { diverted: () => 0 },
  snapshots: { count: () => 0, bytes: () => 0, maxBytes: () => 0 },
  quotas: { refused: () => ({ labs: 0, nodes: 0, jobs: 0, workspaceBytes: 0 }) },
};

/** Every metric of a service. docs/operations.md has a table of them, and tests compare alerts and panels with them. */
export function describeMetrics(): readonly DescribedMetric[] {
  return new ServiceMetrics(noSources).describe();
}
