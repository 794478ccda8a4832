import type { WebhookState } from '../../jobs/model/job-view.ts';
import type { Delivery, DeliveryLine } from './delivery.ts';

/** Of how many jobs it is kept how their callbacks ended. */
const keptEnds = 10_000;

/** The state after all lines of the file. */
export class DeliveryState {
  /** By id, in the order in which they were made. */
  readonly pending = new Map<string, Delivery>();
  /** By job, how the last message to its callback ended; the oldest first. */
  readonly #ends = new Map<string, WebhookState>();
  /** The id of the event after which the next messages are made; undefined at the very first. */
  position: string | undefined;
  /** The types of events that `server` got up to there; undefined if the file does not say. */
  wanted: readonly string[] | undefined;

  /** How many lines it takes. */
  get size(): number {
    return this.pending.size + this.#ends.size + 1;
  }

  apply(line: DeliveryLine): void {
    if ('add' in line) {
      this.position = line.after;
      this.wanted = line.wanted ?? this.wanted;
      for (const delivery of line.add) this.pending.set(delivery.id, delivery);
    } else if ('tried' in line) {
      const delivery = this.pending.get(line.tried.id);
      if (delivery) this.pending.set(delivery.id, { ...delivery, ...line.tried });
    } else {
      this.pending.delete(line.ended);
      if (line.job !== null) this.#keepEnd(line.job, line.state);
    }
  }

  #keepEnd(job: string, state: WebhookState): void {
    this.#ends.delete(job);
    this.#ends.set(job, state);
    for (const oldest of this.#ends.keys()) {
      if (this.#ends.size <= keptEnds) return;
      this.#ends.delete(oldest);
    }
  }

  /** How the last message to the callback of a job ended that has ended; undefined when none has. */
  endOf(job: string): WebhookState | undefined {
    return this.#ends.get(job);
  }

  /** For a job that was removed. */
  forget(job: string): void {
    this.#ends.delete(job);
  }

  /** Lines that add up to this. */
  *lines(): Generator<DeliveryLine> {
    for (const [job, state] of this.#ends) yield { ended: '', job, state };
    for (const delivery of this.pending.values()) yield { after: this.position ?? '', add: [delivery] };
    yield { after: this.position ?? '', add: [], ...(this.wanted && { wanted: [...this.wanted] }) };
  }
}
