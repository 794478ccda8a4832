/**
 * The metrics of the service, and their text for Prometheus. Only `src/metrics` knows Prometheus: the other parts of the
 * service call plain functions when something happens, and each scrape reads their numbers.
 */
import Counter from 'prom-client/lib/counter.js';
import Registry from 'prom-client/lib/registry.js';
import type { CountedResource } from '../access/model/quotas.ts';
import type { HttpObserver } from '../http/http-observer.ts';
import type { GitObserver } from '../labs/git/git-files.ts';
import type { StatusObserver } from '../labs/status/lab-status.ts';
import type { SshObserver } from '../ssh/ssh-observer.ts';
import { settledWithin } from '../lib/async/settled-within.ts';
import { addGauge } from './add-gauge.ts';
import { addGitMetrics } from './git-metrics.ts';
import { HttpMetrics } from './http-metrics.ts';
import { JobMetrics, type JobNumbers } from './job-metrics.ts';
import { addLabMetrics, type LabSources } from './lab-metrics.ts';
import { SshMetrics } from './ssh-metrics.ts';
import { addEventLoopLag, addProcessMetrics } from './process-metrics.ts';

interface StorageSources {
  /** On the disk of the data directory; undefined when the system does not report it. */
  readonly freeBytes: () => Promise<number | undefined>;
  readonly minFreeBytes: () => number;
  readonly damagedRecords: () => Promise<number>;
}

interface WebhookSources {
  /** By outcome, since the start of the service. */
  readonly counts: () => Readonly<Record<string, number>>;
  /** How many wait or are being sent. */
  readonly backlog: () => number;
}

interface AuditSources {
  /** Since the start of the service. */
  readonly diverted: () => number;
}

interface SnapshotSources {
  readonly count: () => number;
  readonly bytes: () => number;
  readonly maxBytes: () => number;
}

interface QuotaSources {
  /** By resource, since the start of the service. */
  readonly refused: () => Readonly<Record<CountedResource, number>>;
}

export interface MetricsSources {
  /** Of this program. */
  readonly version: string;
  readonly limits: { readonly maxQueuedJobs: number; readonly maxRunningJobs: number };
  readonly jobNumbers: () => JobNumbers;
  readonly storage: StorageSources;
  readonly labs: LabSources;
  readonly webhooks: WebhookSources;
  readonly audit: AuditSources;
  readonly snapshots: SnapshotSources;
  readonly quotas: QuotaSources;
}

export interface DescribedMetric {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
  readonly help: string;
}

/** A disk that hangs must not keep the scrape from reporting everything else. */
const diskLimitMs = 1_000;

function addStorageMetrics(registry: Registry, sources: StorageSources): void {
  const free = {
    name: 'lab_api_data_dir_free_bytes',
    help: 'Free bytes on the disk of the data directory.',
  };
  addGauge(registry, free, async () => settledWithin(sources.freeBytes(), diskLimitMs));
  const limit = {
    name: 'lab_api_data_dir_free_limit_bytes',
    help: 'Free bytes below which no job is accepted (LAB_API_MIN_FREE_DISK).',
  };
  addGauge(registry, limit, sources.minFreeBytes);
  const damaged = {
    name: 'lab_api_job_records_damaged',
    help: 'Jobs whose record is damaged or unreadable; investigate unless 0.',
  };
  addGauge(registry, damaged, async () => settledWithin(sources.damagedRecords(), diskLimitMs));
}

function addSnapshotMetrics(registry: Registry, { count, bytes, maxBytes }: SnapshotSources): void {
  addGauge(registry, { name: 'lab_api_snapshots', help: 'Snapshots of labs.' }, count);
  addGauge(registry, { name: 'lab_api_snapshots_bytes', help: 'Bytes of all snapshots on the disk.' }, bytes);
  const limit = {
    name: 'lab_api_snapshots_limit_bytes',
    help: 'How many bytes all snapshots may have (LAB_API_MAX_ALL_SNAPSHOTS_SIZE).',
  };
  addGauge(registry, limit, maxBytes);
}

function addQuotaMetrics(registry: Registry, { refused }: QuotaSources): void {
  const refusals = new Counter({
    name: 'lab_api_quota_refusals_total',
    help: 'Requests that did not fit into a quota, by resource: labs, nodes, jobs, workspaceBytes.',
    labelNames: ['resource'],
    registers: [registry],
    collect: () => {
      refusals.reset();
      for (const [resource, count] of Object.entries(refused())) refusals.inc({ resource }, count);
    },
  });
}

function addWebhookMetrics(registry: Registry, { counts, backlog }: WebhookSources): void {
  const deliveries = new Counter({
    name: 'lab_api_webhook_deliveries_total',
    help: 'Webhook messages by outcome: delivered, failed (will be retried), gave-up (after a day), gone (the receiver answered 410), dropped (too many waited).',
    labelNames: ['outcome'],
    registers: [registry],
    collect: () => {
      deliveries.reset();
      for (const [outcome, count] of Object.entries(counts())) deliveries.inc({ outcome }, count);
    },
  });
  const pending = {
    name: 'lab_api_webhooks_pending',
    help: 'Webhook messages that wait or are being sent.',
  };
  addGauge(registry, pending, backlog);
}

function addAuditMetrics(registry: Registry, { diverted }: AuditSources): void {
  const lines = new Counter({
    name: 'lab_api_audit_lines_diverted_total',
    help: 'Audit lines that went to the service log because LAB_API_AUDIT_FILE failed.',
    registers: [registry],
    collect: () => {
      lines.reset();
      lines.inc(diverted());
    },
  });
}

export class ServiceMetrics {
  readonly http: HttpObserver;
  readonly ssh: SshObserver;
  readonly jobs: JobMetrics;
  readonly status: StatusObserver;
  readonly git: GitObserver;
  /** Begins to watch the event loop; the result ends that. */
  readonly start: () => () => void;
  readonly #registry = new Registry();
  #current: Promise<string> | undefined;

  constructor({ version, limits, jobNumbers, storage, labs, ...sources }: MetricsSources) {
    addProcessMetrics(this.#registry, version);
    this.start = addEventLoopLag(this.#registry).start;
    this.jobs = new JobMetrics(this.#registry, { numbers: jobNumbers, limits });
    this.status = addLabMetrics(this.#registry, labs);
    addStorageMetrics(this.#registry, storage);
    this.http = new HttpMetrics(this.#registry);
    this.ssh = new SshMetrics(this.#registry);
    this.git = addGitMetrics(this.#registry);
    addSnapshotMetrics(this.#registry, sources.snapshots);
    addQuotaMetrics(this.#registry, sources.quotas);
    addWebhookMetrics(this.#registry, sources.webhooks);
    addAuditMetrics(this.#registry, sources.audit);
  }

  describe(): readonly DescribedMetric[] {
    // The types of prom-client leave out what each metric keeps of its configuration.
    const metrics = this.#registry.getMetricsAsArray() as unknown as readonly DescribedMetric[];
    return metrics.map(({ name, type, labelNames, help }) => ({ name, type, labelNames, help }));
  }

  /** One text for all who ask while it is being made. */
  async text(): Promise<{ readonly contentType: string; readonly text: string }> {
    const current = (this.#current ??= this.#registry.metrics().finally(() => (this.#current = undefined)));
    return { contentType: this.#registry.contentType, text: await current };
  }
}
