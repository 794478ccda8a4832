import { AppError } from '../../lib/app-error.ts';

const retryAfterSeconds = 5;

/** How many of a kind may be open at once. */
export class SessionLimit {
  readonly #max: number;
  readonly #why: string;
  #open = 0;

  /** `why` says who is refused, and which setting it is. */
  constructor(max: number, why: string) {
    this.#max = max;
    this.#why = why;
  }

  /** Takes a place; the result gives it back, once. @throws AppError `too-many-sessions`. */
  take(): () => void {
    if (this.#open >= this.#max)
      throw new AppError('too-many-sessions', `${this.#max} ${this.#why}`, { retryAfterSeconds });
    this.#open += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#open -= 1;
      isTaken = false;
    };
  }
}
