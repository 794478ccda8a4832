/** Sends what is pending: in order within a lane, a few at a time, again and again until it is taken or a day has passed. */
import type { WebhookState } from '../../jobs/model/job-view.ts';
import { after } from '../../lib/async/disposal.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Delivery, DeliveryEnd } from './delivery.ts';
import type { DeliveryFile } from './delivery-file.ts';
import { FailingReceivers } from './failing-receivers.ts';
import { Lanes, receiverOf } from './lanes.ts';
import type { Attempt } from './send-webhook.ts';

export interface OutboxLimits {
  /** Between the first try and the second. Each further pause is three times as long, up to `maxDelayMs`. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** After how long a message is given up. */
  readonly giveUpMs: number;
  readonly timeoutMs: number;
  /** Messages that wait: for one receiver, and in all. The oldest go when there are more. */
  readonly maxPendingPerReceiver: number;
  readonly maxPending: number;
}

export const defaultOutboxLimits: OutboxLimits = {
  firstDelayMs: 5_000,
  maxDelayMs: 2 * 3_600_000,
  giveUpMs: 24 * 3_600_000,
  timeoutMs: 15_000,
  maxPendingPerReceiver: 2_000,
  maxPending: 20_000,
};

/** How deliveries ended, and how many tries failed that were to be repeated, since the start of the service. */
export type DeliveryCounts = Readonly<Record<DeliveryEnd | 'failed', number>>;

interface OutboxDeps {
  readonly file: DeliveryFile;
  readonly send: (delivery: Delivery, signal: AbortSignal) => Promise<Attempt>;
  readonly log: Logger;
  /** Of the administrator's receiver, for the log. */
  readonly serverHost: string | undefined;
  readonly limits: OutboxLimits;
  /** Called when the administrator's receiver wants no more. */
  readonly onServerGone: () => void;
}

function endState({ attempts, lastStatus }: Delivery, state: DeliveryEnd): WebhookState {
  return { state, attempts, lastStatus, nextAttemptAt: null };
}

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #lanes = new Lanes();
  readonly #failing = new FailingReceivers();
  readonly #running = new Map<string, AbortController>();
  readonly #counts = { delivered: 0, failed: 0, 'gave-up': 0, gone: 0, dropped: 0 };
  #state: 'held' | 'open' | 'closed' = 'held';
  #stopTimer = (): void => undefined;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  get counts(): DeliveryCounts {
    return this.#counts;
  }

  /** Takes over what is pending, and begins to send. */
  open(): void {
    for (const delivery of this.#deps.file.state.pending.values()) {
      this.#lanes.add(delivery);
      if (delivery.attempts > 0) this.#failing.takeOver(delivery);
    }
    this.#state = 'open';
    this.#pump();
  }

  /**
   * Adds messages that were made of events up to that one, and notes what `server` was to get of it when that has changed.
   * Resolves when they are on disk.
   */
  async add(eventId: string, deliveries: readonly Delivery[], wanted?: readonly string[]): Promise<void> {
    const { file } = this.#deps;
    // Those that were taken up again after a crash are known.
    const added = deliveries.filter(({ id }) => !file.state.pending.has(id));
    await file.note({ after: eventId, add: added, ...(wanted && { wanted: [...wanted] }) });
    if (this.#state === 'held') return;
    for (const delivery of added) this.#lanes.add(delivery);
    await this.#dropOldest(added);
    this.#pump();
  }

  /** How far the messages to the callback of a job have come. */
  stateOf(job: string): WebhookState | undefined {
    const { state } = this.#deps.file;
    const head = this.#lanes.head(`callback ${job}`);
    const delivery = head === undefined ? undefined : state.pending.get(head);
    if (!delivery) return state.endOf(job);
    const { attempts, lastStatus, nextAttemptAt } = delivery;
    return { state: 'pending', attempts, lastStatus, nextAttemptAt };
  }

  /** Ends all messages that are so, whether or not they were tried. */
  async endAll(isIt: (delivery: Delivery) => boolean, state: DeliveryEnd): Promise<void> {
    for (const delivery of this.#deps.file.state.pending.values())
      if (isIt(delivery)) await this.#end(delivery, state);
  }

  async #dropOldest(added: readonly Delivery[]): Promise<void> {
    const { file, limits, log } = this.#deps;
    for (const receiver of new Set(added.map(receiverOf))) {
      const waiting = (): number => this.#lanes.waitingFor(receiver);
      while (waiting() > limits.maxPendingPerReceiver || file.state.pending.size > limits.maxPending) {
        const isOurs = (delivery: Delivery): boolean =>
          receiverOf(delivery) === receiver && !this.#running.has(delivery.id);
        const oldest = [...file.state.pending.values()].find(isOurs);
        if (!oldest) break;
        log.warn('a webhook is dropped: too many wait for its receiver', this.#logged(oldest));
        await this.#end(oldest, 'dropped');
      }
    }
  }

  /** Starts all that may start now, and comes back when the next one is due. */
  #pump(): void {
    this.#stopTimer();
    if (this.#state !== 'open') return;
    const { pending } = this.#deps.file.state;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const id of this.#lanes.heads()) {
      const delivery = pending.get(id);
      if (!delivery || this.#running.has(id)) continue;
      const inMs = Date.parse(delivery.nextAttemptAt) - Date.now();
      if (inMs > 0) nextMs = Math.min(nextMs, inMs);
      else if (this.#lanes.take(delivery)) void this.#try(delivery);
    }
    if (Number.isFinite(nextMs)) this.#stopTimer = after(nextMs, () => this.#pump());
  }

  async #try(delivery: Delivery): Promise<void> {
    const { send, limits } = this.#deps;
    const controller = new AbortController();
    this.#running.set(delivery.id, controller);
    const stopTimer = after(limits.timeoutMs, () => controller.abort());
    const attempt = await send(delivery, controller.signal);
    stopTimer();
    this.#running.delete(delivery.id);
    const isTaken = attempt.kind === 'answered' && (attempt.status < 300 || attempt.status === 410);
    this.#lanes.release(delivery, isTaken);
    // A try that the stop of the service has cut off says nothing of the receiver.
    if (this.#state === 'open') await this.#conclude(delivery, attempt);
    this.#pump();
  }

  async #conclude(before: Delivery, attempt: Attempt): Promise<void> {
    const { file, limits, log, onServerGone } = this.#deps;
    // Dropped meanwhile.
    if (!file.state.pending.has(before.id)) return;
    const lastStatus = attempt.kind === 'answered' ? attempt.status : null;
    const delivery = { ...before, attempts: before.attempts + 1, lastStatus };
    if (attempt.kind === 'answered' && attempt.status < 300) {
      this.#noteTaken(delivery);
      return this.#end(delivery, 'delivered');
    }
    if (lastStatus === 410) {
      if (delivery.to === 'server') onServerGone();
      const isForSame = ({ id, to, lane }: Delivery): boolean =>
        id !== delivery.id && (to === 'server' ? delivery.to === 'server' : lane === delivery.lane);
      await this.endAll(isForSame, 'gone');
      return this.#end(delivery, 'gone');
    }
    const why =
      attempt.kind === 'failed' ? attempt.why : `the receiver answered with status ${attempt.status}`;
    const asked = attempt.kind === 'answered' ? attempt.retryAfterMs : 0;
    const delayMs = this.#delayMs(delivery.attempts, asked);
    const { id, attempts } = delivery;
    if (Date.now() + delayMs - Date.parse(delivery.createdAt) > limits.giveUpMs) {
      log.error('a webhook is given up', { ...this.#logged(delivery), cause: why });
      return this.#end(delivery, 'gave-up');
    }
    this.#counts.failed += 1;
    const nextAttemptAt = new Date(Date.now() + delayMs).toISOString();
    const fields = { ...this.#logged(delivery), nextAttemptAt, cause: why };
    // Once for each receiver that fails: it may be tried thousands of times until it is back.
    if (this.#failing.fail(delivery, Date.now())) log.warn('a receiver does not take webhooks', fields);
    else log.debug('a webhook could not be delivered now', fields);
    await file.note({ tried: { id, attempts, lastStatus, nextAttemptAt } });
  }

  /** One that takes a message is back: what waits for its next try there is due, a few at a time as everything. */
  #noteTaken(taken: Delivery): void {
    const { file, log } = this.#deps;
    const receiver = receiverOf(taken);
    if (this.#failing.recover(receiver))
      log.info('a receiver takes webhooks again', { receiver: this.#logged(taken).receiver });
    for (const { id, dueAtMs } of this.#failing.hurry(receiver, (tries) => this.#delayMs(tries))) {
      const delivery = file.state.pending.get(id);
      const dueAt = new Date(Math.max(dueAtMs, Date.now())).toISOString();
      if (!delivery || id === taken.id || delivery.nextAttemptAt <= dueAt) continue;
      // In memory alone: after a kill, the next message that is taken does the same.
      file.state.apply({ tried: { ...delivery, nextAttemptAt: dueAt } });
      this.#failing.noteHurried(receiver, id);
    }
  }

  /** The fields of a message in the log. */
  #logged(delivery: Delivery): { receiver: string; job: string | null; id: string; attempts: number } {
    const { id, job, attempts } = delivery;
    const host = delivery.to === 'server' ? this.#deps.serverHost : undefined;
    return { receiver: host ?? receiverOf(delivery), job, id, attempts };
  }

  /** Up to a fifth more or less, so that what failed together does not come back together. */
  #delayMs(attempts: number, asked = 0): number {
    const { firstDelayMs, maxDelayMs } = this.#deps.limits;
    const delayMs = Math.max(firstDelayMs * 3 ** (attempts - 1), asked);
    return Math.round(Math.min(delayMs, maxDelayMs) * (0.8 + Math.random() * 0.4));
  }

  async #end(delivery: Delivery, state: DeliveryEnd): Promise<void> {
    this.#counts[state] += 1;
    this.#lanes.remove(delivery);
    this.#failing.end(delivery, this.#lanes.waitingFor(receiverOf(delivery)) === 0);
    const job = delivery.to === 'callback' ? delivery.job : null;
    await this.#deps.file.note({ ended: delivery.id, job, state: endState(delivery, state) });
  }

  /** Cuts off what is being sent: it is sent again after the next start. */
  close(): void {
    this.#state = 'closed';
    this.#stopTimer();
    for (const controller of this.#running.values()) controller.abort();
  }
}
