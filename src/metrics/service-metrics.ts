/**
 * All that the service counts and measures, and the text that Prometheus reads. Nobody else knows Prometheus: the parts of
 * the service call plain functions when something happens, and are looked at when a scraper asks.
 */
import Registry from 'prom-client/lib/registry.js';
import type { HttpObserver } from '../http/http-observer.ts';
import type { StatusObserver } from '../labs/status/lab-status.ts';
import { addAuditMetrics, type AuditSources } from './audit-metrics.ts';
import { HttpMetrics } from './http-metrics.ts';
import { JobMetrics, type JobNumbers } from './job-metrics.ts';
import { addLabMetrics, type LabSources } from './lab-metrics.ts';
import { addEventLoopLag, addProcessMetrics } from './process-metrics.ts';
import { addStorageMetrics, type StorageSources } from './storage-metrics.ts';
import { addWebhookMetrics, type WebhookSources } from './webhook-metrics.ts';

interface MetricsSources {
  /** Of this program. */
  readonly version: string;
  readonly limits: { readonly maxQueuedJobs: number; readonly maxRunningJobs: number };
  readonly jobNumbers: () => JobNumbers;
  readonly storage: StorageSources;
  readonly labs: LabSources;
  readonly webhooks: WebhookSources;
  readonly audit: AuditSources;
}

export interface DescribedMetric {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
  readonly help: string;
}

export class ServiceMetrics {
  readonly http: HttpObserver;
  readonly jobs: JobMetrics;
  readonly status: StatusObserver;
  /** Begins to watch the event loop; the result ends that. */
  readonly start: () => () => void;
  readonly #registry = new Registry();
  #current: Promise<string> | undefined;

  constructor({ version, limits, jobNumbers, storage, labs, webhooks, audit }: MetricsSources) {
    addProcessMetrics(this.#registry, version);
    this.start = addEventLoopLag(this.#registry).start;
    this.jobs = new JobMetrics(this.#registry, { numbers: jobNumbers, ...limits });
    this.status = addLabMetrics(this.#registry, labs);
    addStorageMetrics(this.#registry, storage);
    this.http = new HttpMetrics(this.#registry);
    addWebhookMetrics(this.#registry, webhooks);
    addAuditMetrics(this.#registry, audit);
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
