/**
 * Lets only a few of the tasks that are ready go on in one turn of the event loop; between two turns, whatever else has come is
 * served. (`setImmediate` alone lets all of them go on in the same turn.)
 */
export class Turns {
  readonly #atOnce: number;
  readonly #waiting: (() => void)[] = [];
  #isDue = false;
  #isGivingWay = false;
  /** Turns in which the tasks gave way. */
  #given = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Resolves in a later turn of the event loop, in the order of the calls. */
  async next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#arm();
    });
  }

  /** No task goes on in the turn that comes, which then is as short as can be; but in every fourth of such turns, one does. */
  giveWay(): void {
    this.#isGivingWay = true;
  }

  #most(): number {
    if (!this.#isGivingWay) return this.#atOnce;
    this.#isGivingWay = false;
    this.#given = (this.#given + 1) % 4;
    return this.#given === 0 ? 1 : 0;
  }

  #arm(): void {
    if (this.#isDue || this.#waiting.length === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      for (const go of this.#waiting.splice(0, this.#most())) go();
      this.#arm();
    });
  }
}
