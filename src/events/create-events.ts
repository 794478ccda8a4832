/** Joins what tells of events: the feed, and the webhooks that follow it. */
import path from 'node:path';
import type { JobService } from '../jobs/job-service.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { Labs } from '../labs/labs.ts';
import type { Logger } from '../lib/logger.ts';
import { LocalEvents } from './local-events.ts';
import { Webhooks, type WebhookSettings } from './webhooks/webhooks.ts';

interface EventsDeps {
  readonly dataDir: string;
  readonly webhooks: WebhookSettings;
  readonly store: JobStore;
  readonly jobs: Pick<JobService, 'get'>;
  readonly labs: Pick<Labs, 'status'>;
  /** Of this program. */
  readonly version: string;
  readonly log: Logger;
}

/** Nothing is touched on disk before they are opened, events first. */
export function createEvents(deps: EventsDeps): {
  readonly events: LocalEvents;
  readonly webhooks: Webhooks;
} {
  const { dataDir, webhooks: settings, store, version, log } = deps;
  const events = new LocalEvents({ ...deps, directory: path.join(dataDir, 'events') });
  return { events, webhooks: new Webhooks({ dataDir, settings, events, store, version, log }) };
}
