/**
 * Hands work to another host: one BullMQ queue per host. A message is done when the host has the job on its disk, or has refused
 * it; from then on the job is that host's own, and nothing in Redis decides about it. BullMQ may deliver a message twice, after a
 * crash in between: `answered-messages.ts` knows those that were answered, and the job of another has its nonce as idempotency key.
 */
import { Queue, Worker } from 'bullmq';
import { AppError, messageOf } from '../lib/app-error.ts';
import { deferred } from '../lib/async/deferred.ts';
import type { Logger } from '../lib/logger.ts';
import { settledWithin } from '../lib/async/settled-within.ts';
import { keys, queueName, queuePrefix } from './keys.ts';
import { answerSchema, envelopeSchema, messageSchema, type Answer, type Message } from './model/message.ts';
import type { Host } from './model/host.ts';
import type { RedisLink } from './redis-link.ts';
import type { Signatures } from './signature.ts';

type Outcome = Answer['outcome'];

/** Answers come within milliseconds. One that was missed, because Redis was away for a moment, lies with its message. */
const lookForAnswerMs = 2_000;
/** How long an answer lies there, in seconds. */
const keepAnswersSeconds = 60;
/** Jobs are planned one beside the other, and the disk takes them together. */
const atOnce = 16;

/** It is unknown whether the host acted on a message: no other host may do it. */
export class MaybeTaken extends AppError {
  constructor({ name }: Pick<Host, 'name'>, cause?: unknown) {
    const what = 'whether it has taken the job is not known: look at its jobs';
    super('host-unavailable', `the host ${name} does not answer; ${what}`, { cause, retryAfterSeconds: 15 });
  }
}

/** Nothing has come of a message, and nothing will. */
export class NothingStarted extends AppError {
  constructor({ name }: Pick<Host, 'name'>) {
    super('host-unavailable', `the host ${name} does not answer; nothing was started`, {
      retryAfterSeconds: 15,
    });
  }
}

interface DispatchDeps {
  readonly ownId: () => string;
  readonly link: RedisLink;
  readonly signatures: Signatures;
  /** Does what a message says. Never rejects. */
  readonly take: (message: Message) => Promise<Outcome>;
  /** A message that no host of the cluster has written. */
  readonly onForged: (nonce: string) => void;
  /** A message of a host of the cluster that this version cannot read. */
  readonly onUnknown: (nonce: string) => Promise<Outcome>;
  readonly log: Logger;
}

export class Dispatch {
  readonly #deps: DispatchDeps;
  readonly #queues = new Map<string, Queue>();
  readonly #waiting = new Map<string, (outcome: Outcome) => void>();
  #worker: Worker | undefined;

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
  }

  /**
   * Does the cancels that were kept while this host was away. BullMQ gives its messages in turn, and does not say when those that
   * were there have been; it gives these once more, and that does no harm.
   */
  async takeKept(): Promise<void> {
    const { ownId, link } = this.#deps;
    if (!link.isReady) return;
    // `active`: this host has died with it.
    const kept = await link
      .ask(async () => this.#queueOf(ownId()).getJobs(['wait', 'active']))
      .catch(() => []);
    const isCancel = (nonce: string, data: unknown): boolean =>
      this.#envelope(nonce, data)?.message?.kind === 'cancel';
    await Promise.all(
      kept.map(async ({ id, data }) => (isCancel(String(id), data) ? this.#take(String(id), data) : null)),
    );
  }

  /** Begins to take messages, and to hear answers. */
  open(): void {
    const { ownId, link, log } = this.#deps;
    this.#worker = new Worker(queueName(ownId()), async ({ id, data }) => this.#take(String(id), data), {
      connection: link.another(),
      prefix: queuePrefix,
      concurrency: atOnce,
      // A host that was paused takes a message again, as often as it needs to: twice does no harm.
      maxStalledCount: Number.MAX_SAFE_INTEGER,
    });
    this.#worker.on('error', (error) => log.debug('the queue of this host', { cause: messageOf(error) }));
    const answers = link.another();
    answers.on('message', (_channel, text) => this.#hear(text));
    void answers.subscribe(keys.answers(ownId())).catch(() => undefined);
  }

  /** Takes no messages any more; those that it has are answered. */
  async close(): Promise<void> {
    // Without Redis, BullMQ would wait for it without end, and keep its timers.
    const closing = this.#worker?.close(!this.#deps.link.isReady);
    if (closing) await settledWithin(closing, lookForAnswerMs);
    await Promise.all(
      [...this.#queues.values()].map(async (queue) => settledWithin(queue.close(), lookForAnswerMs)),
    );
  }

  /**
   * Sends a message to `host` and waits up to `ms` for the result.
   * @throws AppError `cluster-unavailable` when it could not be handed over, `host-unavailable` when no host took it; MaybeTaken.
   */
  async send(message: Message, host: Host, ms: number): Promise<Outcome> {
    const { nonce } = message;
    const answer = deferred<Outcome>();
    this.#waiting.set(nonce, answer.resolve);
    try {
      await this.#hand(message, host);
      for (const endsAt = performance.now() + ms; performance.now() < endsAt;) {
        const outcome =
          (await settledWithin(answer.promise, lookForAnswerMs)) ?? (await this.#keptAnswer(message));
        if (outcome) {
          this.#drop(message);
          return outcome;
        }
      }
      return await this.#takeBack(message, host);
    } finally {
      this.#waiting.delete(nonce);
    }
  }

  /** BullMQ itself would keep it, with all that the client sent, until another message is done. */
  #drop({ to, nonce }: Message): void {
    void this.#deps.link.ask(async () => this.#queueOf(to).remove(nonce)).catch(() => undefined);
  }

  /** A message sent when Redis fell silent may still reach Redis, and the host. */
  async #hand(message: Message, host: Host): Promise<void> {
    const isRefused = !this.#deps.link.isReady;
    try {
      await this.post(message);
    } catch (error) {
      throw isRefused ? error : new MaybeTaken(host, error);
    }
  }

  /** Queues a message for a host that may be away, without waiting for the answer. @throws AppError `cluster-unavailable`. */
  async post(message: Message): Promise<void> {
    const { nonce, kind, to } = message;
    const text = this.#deps.signatures.sign('message', message);
    const kept = { age: keepAnswersSeconds };
    const options = { jobId: nonce, attempts: 1, removeOnComplete: kept, removeOnFail: kept };
    await this.#deps.link.ask(async () => this.#queueOf(to).add(kind, text, options));
  }

  async forget(host: string): Promise<void> {
    await this.#deps.link.ask(async () => this.#queueOf(host).obliterate({ force: true }));
  }

  #queueOf(host: string): Queue {
    let queue = this.#queues.get(host);
    if (queue) return queue;
    queue = new Queue(queueName(host), {
      connection: this.#deps.link.shared,
      prefix: queuePrefix,
      // It would wait for Redis without end.
      skipWaitingForReady: true,
      // No reader uses the events that BullMQ writes about its messages.
      streams: { events: { maxLen: 10 } },
    });
    queue.on('error', () => undefined);
    this.#queues.set(host, queue);
    return queue;
  }

  /** Undefined for what no host of the cluster has written, or for another host, or as another message. */
  #envelope(nonce: string, data: unknown) {
    const { ownId, signatures } = this.#deps;
    const signed = typeof data === 'string' ? signatures.verify('message', data) : undefined;
    const envelope = envelopeSchema.safeParse(signed).data;
    if (envelope?.to !== ownId() || envelope.nonce !== nonce) return undefined;
    // A newer host may want what this one does not know.
    return { from: envelope.from, message: messageSchema.safeParse(signed).data };
  }

  async #take(nonce: string, data: unknown): Promise<string | null> {
    const { signatures, take, onForged, onUnknown, link } = this.#deps;
    const envelope = this.#envelope(nonce, data);
    if (envelope === undefined) {
      onForged(nonce);
      return null;
    }
    const { from, message } = envelope;
    const outcome = await (message === undefined ? onUnknown(nonce) : take(message));
    const answer = signatures.sign('answer', { nonce, outcome } satisfies Answer);
    // A reader that misses the event finds the answer in the message.
    await link.ask(async (redis) => redis.publish(keys.answers(from), answer)).catch(() => undefined);
    return answer;
  }

  #read(text: unknown): Answer | undefined {
    if (typeof text !== 'string') return undefined;
    return answerSchema.safeParse(this.#deps.signatures.verify('answer', text)).data;
  }

  #hear(text: string): void {
    const answer = this.#read(text);
    if (answer) this.#waiting.get(answer.nonce)?.(answer.outcome);
  }

  async #keptAnswer({ to, nonce }: Message): Promise<Outcome | undefined> {
    const job = await this.#deps.link.ask(async () => this.#queueOf(to).getJob(nonce)).catch(() => undefined);
    const answer = this.#read(job?.returnvalue);
    return answer?.nonce === nonce ? answer.outcome : undefined;
  }

  /** A message that the host has never begun with is taken back: then nothing comes of it. One that it died with may be done. */
  async #takeBack({ to, nonce }: Message, host: Host): Promise<never> {
    const queue = this.#queueOf(to);
    const isGone = await this.#deps.link
      .ask(async () => (await queue.getJob(nonce))?.attemptsStarted === 0 && (await queue.remove(nonce)) > 0)
      .catch(() => false);
    if (!isGone) throw new MaybeTaken(host);
    throw new NothingStarted(host);
  }
}
