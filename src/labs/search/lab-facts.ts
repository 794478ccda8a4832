import { Semaphore } from '../../lib/async/semaphore.ts';
import type { LabTopologies } from '../topologies/lab-topologies.ts';
import { factsOf, type Facts } from './facts-of.ts';

/** A snapshot may cost a run of the lab CLI of a second: with more at a time, jobs would wait. */
const readsAtOnce = 2;
/** Of all labs together: some 40 MB. The labs that were searched longest ago are read again. */
const sizeMax = 200_000;

interface Kept {
  readonly stamp: string;
  readonly facts: Facts;
}

/**
 * The facts of the labs of one lab CLI, of each snapshot read once. However many search at the same time, a lab is read once for all
 * of them, and two labs at a time.
 */
export class LabFacts {
  readonly #topologies: () => Pick<LabTopologies, 'of' | 'place'>;
  readonly #turns = new Semaphore(readsAtOnce);
  /** By lab, in the order of use. */
  readonly #kept = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<Facts>>();
  #size = 0;

  constructor(topologies: () => Pick<LabTopologies, 'of' | 'place'>) {
    this.#topologies = topologies;
  }

  /** @throws AppError as `LabTopologies.of`. */
  async of(id: string): Promise<Facts> {
    const { stamp } = await this.#topologies().place(id);
    const kept = this.#kept.get(id);
    if (kept?.stamp === stamp) {
      this.#keep(id, kept);
      return kept.facts;
    }
    let reading = this.#reading.get(id);
    if (reading === undefined) {
      reading = this.#turns.run(async () => this.#read(id)).finally(() => this.#reading.delete(id));
      this.#reading.set(id, reading);
    }
    return reading;
  }

  async #read(id: string): Promise<Facts> {
    const { topology, stamp } = await this.#topologies().of(id);
    const facts = factsOf(topology);
    this.#keep(id, { stamp, facts });
    return facts;
  }

  #keep(id: string, kept: Kept): void {
    this.#forget(id);
    this.#kept.set(id, kept);
    this.#size += kept.facts.size;
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= sizeMax) return;
      this.#forget(oldest);
    }
  }

  #forget(id: string): void {
    this.#size -= this.#kept.get(id)?.facts.size ?? 0;
    this.#kept.delete(id);
  }
}
