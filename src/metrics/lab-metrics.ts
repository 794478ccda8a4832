/** The labs on this server as the lab CLI told them last, and what it costs to ask it. */
import Counter from 'prom-client/lib/counter.js';
import Histogram from 'prom-client/lib/histogram.js';
import type Registry from 'prom-client/lib/registry.js';
import { labStates, nodeStates } from '../labs/drivers/status-driver.ts';
import type { SeenLabs, StatusObserver } from '../labs/status/lab-status.ts';
import { addGauge, addStateGauge } from './add-gauge.ts';

export interface LabSources {
  readonly lastSeen: () => SeenLabs | undefined;
  /** As `LabStatus.refresh`. */
  readonly refresh: (olderThanMs: number) => void;
  /** How many links and nodes are broken on purpose. */
  readonly faults: () => number;
}

/**
 * A scrape has the list of labs renewed when it is older than this, or when a lab has changed since. Scrapes every few
 * seconds are common, and a run of netlab takes most of a second of a processor.
 */
const refreshAfterMs = 60_000;

const runBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const usualFailures = ['lab-cli-failed', 'lab-cli-timeout', 'lab-cli-missing'] as const;

function addGauges(registry: Registry, { lastSeen, refresh, faults }: LabSources): void {
  const labs = {
    name: 'lab_api_labs',
    help: 'Lab instances by state in the last status: starting, started, stopping, missing (started, but gone), other.',
    states: labStates,
  };
  addStateGauge(registry, labs, () => {
    refresh(refreshAfterMs);
    return lastSeen()?.labs;
  });
  const nodes = {
    name: 'lab_api_lab_nodes',
    help: 'Nodes by state (up, down, unknown) of the labs that were requested by name.',
    states: nodeStates,
  };
  addStateGauge(registry, nodes, () => lastSeen()?.nodes);
  const broken = {
    name: 'lab_api_lab_faults',
    help: 'Links and nodes of labs that are broken on purpose, and not healed yet.',
  };
  addGauge(registry, broken, faults);
  const last = {
    name: 'lab_api_status_last_success_timestamp_seconds',
    help: 'Time of the last successful status, in seconds since 1970.',
  };
  addGauge(registry, last, () => {
    const atMs = lastSeen()?.atMs;
    return atMs && atMs / 1_000;
  });
}

/** The caller reports each run of the status command to the result. */
export function addLabMetrics(registry: Registry, sources: LabSources): StatusObserver {
  addGauges(registry, sources);
  const registers = [registry];
  const runs = new Histogram({
    name: 'lab_api_status_run_duration_seconds',
    help: 'Duration of status runs of the lab CLI in seconds, failures included.',
    buckets: runBuckets,
    registers,
  });
  const failures = new Counter({
    name: 'lab_api_status_failures_total',
    help: 'Failed status requests by error code.',
    labelNames: ['code'],
    registers,
  });
  for (const code of usualFailures) failures.inc({ code }, 0);
  return {
    runEnded: (durationMs) => runs.observe(durationMs / 1_000),
    failed: (code) => failures.inc({ code }),
  };
}
