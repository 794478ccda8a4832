/** Makes messages of events, for the administrator's receiver and for the callbacks of jobs, and has them delivered. */
import path from 'node:path';
import type { WebhookState } from '../../jobs/model/job-view.ts';
import type { JobStore } from '../../jobs/store/job-store.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Change, FeedEvent } from '../model/event.ts';
import type { EventService } from '../model/event-service.ts';
import { newDelivery, typeOfChange, type Delivery } from './delivery.ts';
import { DeliveryFile } from './delivery-file.ts';
import { defaultOutboxLimits, Outbox, type DeliveryCounts, type OutboxLimits } from './outbox.ts';
import { checkCallbackUrl, sendWebhook } from './send-webhook.ts';

export interface WebhookSettings {
  /** Gets the events that `events` names; undefined for none. */
  readonly url: string | undefined;
  /** Types such as `job.success`, or all of a kind: `job`, `lab`, `service`. */
  readonly events: readonly string[];
  readonly secret: string | undefined;
  /** Hosts that a callback may be at; empty for any that is not local. */
  readonly hosts: readonly string[];
}

interface WebhooksDeps {
  readonly dataDir: string;
  readonly settings: WebhookSettings;
  /** `first`: the number of the first event of this service. */
  readonly events: EventService & { readonly first: number };
  readonly store: Pick<JobStore, 'get'>;
  /** Of this program. */
  readonly version: string;
  readonly log: Logger;
  readonly limits?: OutboxLimits;
}

/** After so many events without a message, the position is saved, so that fewer events are read again after a crash. */
const noteEvery = 500;

const unsigned = 'messages to callbackUrl are not signed: this server has no LAB_API_WEBHOOK_SECRET';

/** Whether these settings name a type, or its kind. */
function includes(names: readonly string[], type: string): boolean {
  const [kind = ''] = type.split('.');
  return names.includes(type) || names.includes(kind);
}

export class Webhooks {
  readonly #deps: WebhooksDeps;
  readonly #file: DeliveryFile;
  readonly #outbox: Outbox;
  /** Of unfinished jobs; null for one without. */
  readonly #callbacks = new Map<string, string | null>();
  readonly #over = new AbortController();
  #following: Promise<void> | undefined;
  #isServerGone = false;
  /** The last processed event, and how many events in a row had no message. */
  #lookedAt: string | undefined;
  #unwanted = 0;

  constructor(deps: WebhooksDeps) {
    const { dataDir, settings, version, log, limits = defaultOutboxLimits } = deps;
    this.#deps = deps;
    const file = (this.#file = new DeliveryFile(path.join(dataDir, 'webhooks.jsonl'), log));
    this.#outbox = new Outbox({
      file,
      log,
      limits,
      serverHost: settings.url === undefined ? undefined : new URL(settings.url).host,
      send: async (delivery, signal) => sendWebhook(delivery, { ...settings, version }, signal),
      onServerGone: () => this.#noteServerGone(),
    });
  }

  /** Since the start of the service. */
  get counts(): DeliveryCounts {
    return this.#outbox.counts;
  }

  /** How many messages wait or are being sent. */
  get backlog(): number {
    return this.#file.state.pending.size;
  }

  /** Checks where a job is to report, and gives warnings. @throws AppError when nothing may be sent there. */
  async check(url: string): Promise<readonly string[]> {
    await checkCallbackUrl(url, this.#deps.settings.hosts);
    return this.#deps.settings.secret === undefined ? [unsigned] : [];
  }

  /** How far the messages to the callback of a job have come; null when there are none. */
  stateOf(job: string): WebhookState | null {
    return this.#outbox.stateOf(job) ?? null;
  }

  /** Call when events are open. From here on, messages are made of what happens; `start` begins to send them. */
  async open(): Promise<void> {
    const { settings } = this.#deps;
    await this.#file.load();
    if (settings.url === undefined) await this.#outbox.endAll(({ to }) => to === 'server', 'dropped');
    this.#following = this.#follow();
  }

  start(): void {
    this.#outbox.open();
  }

  /** The types of events for the administrator's receiver from now on. */
  get #wanted(): readonly string[] {
    const { url, events } = this.#deps.settings;
    return url === undefined || this.#isServerGone ? [] : events;
  }

  /**
   * After a crash, events are processed again that an earlier service processed with other settings. A new receiver must not get
   * them as new events: only the types of the earlier settings are still sent.
   */
  #wants(number: number, type: string): boolean {
    const isOld = number < this.#deps.events.first;
    const before = isOld ? (this.#file.state.wanted ?? this.#wanted) : this.#wanted;
    return includes(this.#wanted, type) && includes(before, type);
  }

  /** The types to save with an event; undefined if they are saved already. */
  #newlyWanted(number: number): readonly string[] | undefined {
    const isKnown = this.#file.state.wanted?.join() === this.#wanted.join();
    return isKnown || number < this.#deps.events.first ? undefined : this.#wanted;
  }

  async #follow(): Promise<void> {
    const { events, settings, log } = this.#deps;
    const wantsLabs = settings.url !== undefined && settings.events.some((name) => name.startsWith('lab'));
    const news = events.follow({
      after: this.#file.state.position,
      filter: wantsLabs ? {} : { types: ['job', 'service'] },
      withProgress: false,
      signal: this.#over.signal,
    });
    for await (const told of news) {
      if (told.kind === 'event') await this.#take(told.event);
      else if (told.kind === 'ready') await this.#outbox.add(told.id, [], this.#wanted);
      else if (told.kind === 'reset')
        log.warn('no webhooks are sent of some events: the journal of events was lost', {
          reason: told.reason,
        });
    }
  }

  async #take(event: FeedEvent): Promise<void> {
    const { id, number } = event;
    const deliveries = await this.#deliveriesFor(event);
    const wanted = this.#newlyWanted(number);
    this.#lookedAt = id;
    this.#unwanted += 1;
    if (deliveries.length === 0 && wanted === undefined && this.#unwanted < noteEvery) return;
    this.#unwanted = 0;
    await this.#outbox.add(id, deliveries, wanted);
  }

  async #deliveriesFor({ id, number, change }: FeedEvent): Promise<Delivery[]> {
    const callback = await this.#callbackFor(change);
    return [
      ...(this.#wants(number, typeOfChange(change))
        ? [newDelivery(id, change, { to: 'server', url: '' })]
        : []),
      ...(callback === null ? [] : [newDelivery(id, change, { to: 'callback', url: callback })]),
    ];
  }

  /** Where the job of an event reports; null when it does not. A job that was removed reports no more. */
  async #callbackFor({ event, data }: Change): Promise<string | null> {
    if (event !== 'job') return null;
    const { id, finishedAt } = data.job;
    if (data.change === 'removed') {
      this.#callbacks.delete(id);
      this.#file.state.forget(id);
      return null;
    }
    const url = this.#callbacks.get(id) ?? (await this.#readCallback(id));
    if (finishedAt === null) this.#callbacks.set(id, url);
    else this.#callbacks.delete(id);
    return this.#file.state.endOf(id)?.state === 'gone' ? null : url;
  }

  async #readCallback(id: string): Promise<string | null> {
    if (this.#callbacks.get(id) === null) return null;
    const job = await this.#deps.store.get(id).catch(() => undefined);
    const url = job?.request['callbackUrl'];
    return typeof url === 'string' ? url : null;
  }

  #noteServerGone(): void {
    this.#isServerGone = true;
    this.#deps.log.warn(
      'the receiver of LAB_API_WEBHOOK_URL wants no more messages (410); none are sent until the next start',
    );
  }

  /** Call when nothing happens any more: messages are made of all that did, and sent after the next start. */
  async close(): Promise<void> {
    this.#over.abort();
    await this.#following;
    this.#outbox.close();
    if (this.#lookedAt !== undefined && this.#unwanted > 0) await this.#outbox.add(this.#lookedAt, []);
    await this.#file.close();
  }
}
