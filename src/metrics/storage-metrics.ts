/** Whether there is room for jobs, and whether their records are sound. */
import type Registry from 'prom-client/lib/registry.js';
import { settledWithin } from '../lib/async/settled-within.ts';
import { addGauge } from './add-gauge.ts';

export interface StorageSources {
  /** Where the data directory is; undefined when the system does not say. */
  readonly freeBytes: () => Promise<number | undefined>;
  readonly minFreeBytes: number;
  readonly damagedRecords: () => Promise<number>;
}

/** A disk that hangs must not keep the scrape from telling everything else. */
const lookLimitMs = 1_000;

export function addStorageMetrics(registry: Registry, sources: StorageSources): void {
  const free = {
    name: 'lab_api_data_dir_free_bytes',
    help: 'Free bytes on the disk of the data directory.',
  };
  addGauge(registry, free, async () => settledWithin(sources.freeBytes(), lookLimitMs));
  const limit = {
    name: 'lab_api_data_dir_free_limit_bytes',
    help: 'Free bytes below which no job is accepted (LAB_API_MIN_FREE_DISK).',
  };
  addGauge(registry, limit, () => sources.minFreeBytes);
  const damaged = {
    name: 'lab_api_job_records_damaged',
    help: 'Jobs whose record is damaged or unreadable; investigate unless 0.',
  };
  addGauge(registry, damaged, async () => settledWithin(sources.damagedRecords(), lookLimitMs));
}
