/** Which messages may be sent now: the first of each lane, and only so many at a time to one receiver and in all. */
import type { Delivery } from './delivery.ts';

/** To a receiver that takes what it is sent. To one that does not, one at a time, so that it takes no place from others. */
const mostPerReceiver = 4;
const mostInAll = 16;

interface Receiver {
  waiting: number;
  sending: number;
  isFailing: boolean;
}

/** The receiver of a message: the administrator's, or a host. */
export function receiverOf({ to, url }: Pick<Delivery, 'to' | 'url'>): string {
  return to === 'server' ? 'server' : new URL(url).host;
}

export class Lanes {
  /** By lane, the ids of its messages in order. */
  readonly #lanes = new Map<string, string[]>();
  readonly #receivers = new Map<string, Receiver>();
  #sending = 0;

  add(delivery: Delivery): void {
    const lane = this.#lanes.get(delivery.lane);
    if (lane) lane.push(delivery.id);
    else this.#lanes.set(delivery.lane, [delivery.id]);
    const name = receiverOf(delivery);
    const receiver = this.#receivers.get(name) ?? { waiting: 0, sending: 0, isFailing: false };
    receiver.waiting += 1;
    this.#receivers.set(name, receiver);
  }

  /** Takes a message out, whether or not it is the first of its lane. */
  remove(delivery: Delivery): void {
    const lane = this.#lanes.get(delivery.lane) ?? [];
    const rest = lane.filter((id) => id !== delivery.id);
    if (rest.length === 0) this.#lanes.delete(delivery.lane);
    else this.#lanes.set(delivery.lane, rest);
    const name = receiverOf(delivery);
    const receiver = this.#receivers.get(name);
    if (!receiver || rest.length === lane.length) return;
    receiver.waiting -= 1;
    if (receiver.waiting === 0 && receiver.sending === 0) this.#receivers.delete(name);
  }

  /** The first message of a lane. */
  head(lane: string): string | undefined {
    return this.#lanes.get(lane)?.[0];
  }

  /** The first of each lane. */
  heads(): string[] {
    return [...this.#lanes.values()].flatMap(([id]) => id ?? []);
  }

  waitingFor(receiver: string): number {
    return this.#receivers.get(receiver)?.waiting ?? 0;
  }

  /** Takes a place for sending this message; whether there was one. */
  take(delivery: Delivery): boolean {
    const receiver = this.#receivers.get(receiverOf(delivery));
    if (!receiver || this.#sending >= mostInAll) return false;
    if (receiver.sending >= (receiver.isFailing ? 1 : mostPerReceiver)) return false;
    receiver.sending += 1;
    this.#sending += 1;
    return true;
  }

  /** Gives the place back. */
  release(delivery: Delivery, isTaken: boolean): void {
    this.#sending -= 1;
    const name = receiverOf(delivery);
    const receiver = this.#receivers.get(name);
    if (!receiver) return;
    receiver.sending -= 1;
    receiver.isFailing = !isTaken;
    if (receiver.waiting === 0 && receiver.sending === 0) this.#receivers.delete(name);
  }
}
