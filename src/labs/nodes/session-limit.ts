import { AppError } from '../../lib/app-error.ts';

const retryAfterSeconds = 5;

/** Names of the counted sessions, for the error of a refused client. */
interface Counted {
  readonly one: string;
  readonly many: string;
  /** Which setting says how many may be open. */
  readonly setting: string;
}

/** How many of a kind may be open at once. */
export class SessionLimit {
  readonly #max: number;
  readonly #counted: Counted;
  #open = 0;

  constructor(max: number, counted: Counted) {
    this.#max = max;
    this.#counted = counted;
  }

  /** @throws AppError `too-many-sessions` when no place is free now. */
  check(): void {
    if (this.#open < this.#max) return;
    const { one, many, setting } = this.#counted;
    const are = this.#max === 1 ? `${one} is` : `${many} are`;
    throw new AppError('too-many-sessions', `${this.#max} ${are} open already (${setting})`, {
      retryAfterSeconds,
    });
  }

  /** Takes a place; the result gives it back, once. @throws AppError `too-many-sessions`. */
  take(): () => void {
    this.check();
    this.#open += 1;
    let isTaken = true;
    return () => {
      if (isTaken) this.#open -= 1;
      isTaken = false;
    };
  }
}
