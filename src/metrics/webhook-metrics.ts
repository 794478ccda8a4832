/** What became of the messages to receivers of webhooks. */
import Counter from 'prom-client/lib/counter.js';
import type Registry from 'prom-client/lib/registry.js';
import { addGauge } from './add-gauge.ts';

export interface WebhookSources {
  /** By outcome, since the start of the service. */
  readonly counts: () => Readonly<Record<string, number>>;
  /** How many wait or are being sent. */
  readonly backlog: () => number;
}

export function addWebhookMetrics(registry: Registry, { counts, backlog }: WebhookSources): void {
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
