/** Joins what tells of events: the feed, and the webhooks that follow it. */
import path from 'node:path';
import { LocalEvents, type LocalEventsDeps } from './local-events.ts';
import { Webhooks, type WebhookSettings } from './webhooks/webhooks.ts';

interface EventsDeps extends Omit<LocalEventsDeps, 'directory'> {
  readonly dataDir: string;
  readonly webhooks: WebhookSettings;
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
