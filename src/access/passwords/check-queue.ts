/** Decides which password is hashed next, and which check is refused, when there are more than the processor can bear. */
import { deferred, type Deferred } from '../../lib/async/deferred.ts';
import { LruCache } from '../../lib/cache/lru-cache.ts';

/** `trusted`: this user has logged in from this address before. `suspect`: logins from this address have failed lately. */
export type Standing = 'trusted' | 'fresh' | 'suspect';

const ranks: Readonly<Record<Standing, number>> = { trusted: 0, fresh: 1, suspect: 2 };

export interface Check {
  /** Checks of one user, or of all unknown names together. */
  readonly lane: string;
  readonly standing: Standing;
  /** The number of failed logins from the address lately. */
  readonly tries: number;
  /** The slow part: whether the password is right. */
  readonly hash: () => Promise<boolean>;
}

/** `busy`: the password was not checked, because too many other checks come first. */
export type Verdict = 'right' | 'wrong' | 'busy';

/** A check that waits for its turn. */
class Waiting {
  readonly check: Check;
  readonly sinceMs = performance.now();
  readonly verdict: Deferred<Verdict> = deferred();
  standing: Standing;

  constructor(check: Check) {
    this.check = check;
    this.standing = check.standing;
  }
}

export interface Ticket {
  readonly verdict: Promise<Verdict>;
  /** Adds another client that sent the same password. The check moves up if that client has the better standing. */
  readonly join: (standing: Standing) => void;
}

/** Hashes at once. All strangers together have one of them; trusted clients may have both. */
const places = 2;
const maxPerLane = 16;
const maxWaiting = 64;
/** After this time the client gets an answer: a browser or a script does better to ask again. */
const maxWaitMs = 5_000;
const lanesToRemember = 1_000;
const halfLifeMs = 60_000;

/** Counts the wrong passwords of each lane. Half of a count is forgotten each minute. */
class WrongCounts {
  readonly #lanes = new LruCache<{ readonly count: number; readonly atMs: number }>(lanesToRemember);

  of(lane: string): number {
    const known = this.#lanes.get(lane);
    return known === undefined ? 0 : known.count * 0.5 ** ((performance.now() - known.atMs) / halfLifeMs);
  }

  add(lane: string): void {
    this.#lanes.set(lane, { count: this.of(lane) + 1, atMs: performance.now() });
  }
}

/**
 * At most two hashes at once, and one of them for strangers. Trusted clients come first, in the order of their requests. Then
 * come strangers: addresses with few failed logins first. Among these, the lane with the fewest wrong passwords comes first, so
 * that a flood against one name delays no other name. Within a lane the newest comes first, because in a flood the oldest has
 * waited in vain. A full lane refuses its last check.
 */
export class CheckQueue {
  #waiting: readonly Waiting[] = [];
  #running = 0;
  #isStrangerRunning = false;
  readonly #wrong = new WrongCounts();

  add(check: Check): Ticket {
    const waiting = new Waiting(check);
    this.#waiting = [...this.#waiting, waiting];
    this.#shed(
      this.#waiting.filter((other) => other.check.lane === check.lane),
      maxPerLane,
    );
    this.#shed(this.#waiting, maxWaiting);
    this.#startNext();
    const join = (standing: Standing): void => {
      if (ranks[standing] < ranks[waiting.standing]) waiting.standing = standing;
      this.#startNext();
    };
    return { verdict: waiting.verdict.promise, join };
  }

  #shed(among: readonly Waiting[], limit: number): void {
    if (among.length <= limit) return;
    const last = this.#inOrder(among).at(-1);
    if (last) this.#refuse(last);
  }

  #refuse(waiting: Waiting): void {
    this.#remove(waiting);
    waiting.verdict.resolve('busy');
  }

  #remove(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
  }

  #inOrder(among: readonly Waiting[]): readonly Waiting[] {
    // One moment for all lanes: counts that decay during the comparison would make a difference.
    const lanes = new Set(among.map(({ check }) => check.lane));
    const wrong = new Map([...lanes].map((lane) => [lane, this.#wrong.of(lane)]));
    return among.toSorted((one, other) => {
      const rank = ranks[one.standing] - ranks[other.standing];
      if (rank !== 0) return rank;
      const age = one.sinceMs - other.sinceMs;
      if (one.standing === 'trusted') return age;
      const lane = (wrong.get(one.check.lane) ?? 0) - (wrong.get(other.check.lane) ?? 0);
      return lane || one.check.tries - other.check.tries || -age;
    });
  }

  #startNext(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) if (now - waiting.sinceMs > maxWaitMs) this.#refuse(waiting);
    while (this.#running < places) {
      const [next] = this.#inOrder(this.#waiting);
      if (next === undefined || (next.standing !== 'trusted' && this.#isStrangerRunning)) return;
      this.#remove(next);
      void this.#run(next);
    }
  }

  async #run({ check, standing, verdict }: Waiting): Promise<void> {
    const isStranger = standing !== 'trusted';
    this.#running += 1;
    if (isStranger) this.#isStrangerRunning = true;
    try {
      const isRight = await check.hash();
      if (!isRight && isStranger) this.#wrong.add(check.lane);
      verdict.resolve(isRight ? 'right' : 'wrong');
    } catch (error) {
      verdict.reject(error);
    } finally {
      this.#running -= 1;
      if (isStranger) this.#isStrangerRunning = false;
      this.#startNext();
    }
  }
}
