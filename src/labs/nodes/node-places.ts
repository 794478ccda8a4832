/** How many commands, logs, captures and terminals may be open in nodes at once. */
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
class SessionLimit {
  readonly #most: () => number;
  readonly #counted: Counted;
  #open = 0;

  constructor(most: () => number, counted: Counted) {
    this.#most = most;
    this.#counted = counted;
  }

  /** @throws AppError `too-many-sessions` when no place is free now. */
  check(): void {
    const most = this.#most();
    if (this.#open < most) return;
    const { one, many, setting } = this.#counted;
    const are = most === 1 ? `${one} is` : `${many} are`;
    const message = `${most} ${are} open already (${setting})`;
    throw new AppError('too-many-sessions', message, { retryAfterSeconds });
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

  /** Takes the places that are free: at least one, and at most `most`. @throws AppError `too-many-sessions`. */
  takeSome(most: number): (() => void)[] {
    const first = this.take();
    const more = Math.max(0, Math.min(most - 1, this.#most() - this.#open));
    return [first, ...Array.from({ length: more }, () => this.take())];
  }
}

/** Limits of what runs in nodes at once. */
export interface NodePlaces {
  readonly sessions: SessionLimit;
  readonly terminals: SessionLimit;
}

interface PlaceLimits {
  readonly maxNodeSessions: number;
  readonly maxTerminals: number;
}

/** The limits may change. */
export function nodePlaces(limits: PlaceLimits): NodePlaces {
  return {
    sessions: new SessionLimit(() => limits.maxNodeSessions, {
      one: 'command, log or capture',
      many: 'commands, logs and captures',
      setting: 'LAB_API_MAX_NODE_SESSIONS',
    }),
    terminals: new SessionLimit(() => limits.maxTerminals, {
      one: 'terminal',
      many: 'terminals',
      setting: 'LAB_API_MAX_TERMINALS',
    }),
  };
}

/** For programs whose places were taken already, or that take none. */
export const noLimit: NodePlaces = nodePlaces({
  maxNodeSessions: Number.POSITIVE_INFINITY,
  maxTerminals: Number.POSITIVE_INFINITY,
});
