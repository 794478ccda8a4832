/** Which receivers do not take what they are sent now, and when what failed there is due again once they do. */
import type { Delivery } from './delivery.ts';
import { receiverOf } from './lanes.ts';

interface Failure {
  /** Of the last try, by the clock; 0 for one before the start of the service. */
  readonly failedAtMs: number;
  /** How often the message was made due because its receiver took another one. */
  readonly hurried: number;
}

export class FailingReceivers {
  /** By receiver, the messages that failed and wait, by id. */
  readonly #waiting = new Map<string, Map<string, Failure>>();
  /** Receivers that took nothing since a message failed. */
  readonly #failing = new Set<string>();

  /** Notes that a message failed and waits; whether that is the first since its receiver took one. */
  fail(delivery: Delivery, failedAtMs: number): boolean {
    const receiver = receiverOf(delivery);
    const isFirst = !this.#failing.has(receiver);
    this.#failing.add(receiver);
    this.#keep(delivery, failedAtMs);
    return isFirst;
  }

  /** Takes over a message that failed before the start of the service. */
  takeOver(delivery: Delivery): void {
    this.#keep(delivery, 0);
  }

  #keep(delivery: Delivery, failedAtMs: number): void {
    const receiver = receiverOf(delivery);
    const failures = this.#waiting.get(receiver) ?? new Map<string, Failure>();
    failures.set(delivery.id, { failedAtMs, hurried: failures.get(delivery.id)?.hurried ?? 0 });
    this.#waiting.set(receiver, failures);
  }

  /** Notes that a receiver took a message; whether it had failed before. */
  recover(receiver: string): boolean {
    return this.#failing.delete(receiver);
  }

  /**
   * For a receiver that took a message: which of its other messages need wait no longer than until when. At first that is
   * now. A message that fails again alone, while others are taken, must not be sent with each of them: it gets pauses of its
   * own again, from the shortest on.
   * @param pauseMs How long to wait after so many tries.
   */
  *hurry(receiver: string, pauseMs: (tries: number) => number): Generator<{ id: string; dueAtMs: number }> {
    for (const [id, { failedAtMs, hurried }] of this.#waiting.get(receiver) ?? [])
      yield { id, dueAtMs: hurried === 0 ? failedAtMs : failedAtMs + pauseMs(hurried) };
  }

  /** Notes that a message was made due. */
  noteHurried(receiver: string, id: string): void {
    const failures = this.#waiting.get(receiver);
    const failure = failures?.get(id);
    if (failure) failures?.set(id, { ...failure, hurried: failure.hurried + 1 });
  }

  /** For a message that has ended. Of a receiver for which nothing waits, nothing is kept. */
  end(delivery: Delivery, isLast: boolean): void {
    const receiver = receiverOf(delivery);
    const failures = this.#waiting.get(receiver);
    failures?.delete(delivery.id);
    if (failures?.size === 0) this.#waiting.delete(receiver);
    if (isLast) this.#failing.delete(receiver);
  }
}
