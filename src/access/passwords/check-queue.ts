/** Decides whose password is hashed next, and who is turned away, when there are more than the processor can bear. */
import { after } from '../../lib/async/disposal.ts';
import { deferred, type Deferred } from '../../lib/async/deferred.ts';
import { LruCache } from '../../lib/cache/lru-cache.ts';

/** `trusted`: from where this user has logged in before. `suspect`: from where logins have failed lately. */
export type Standing = 'trusted' | 'fresh' | 'suspect';

const ranks: Readonly<Record<Standing, number>> = { trusted: 0, fresh: 1, suspect: 2 };

export interface Check {
  /** Checks of one user, or of all unknown names together. */
  readonly lane: string;
  readonly standing: Standing;
  /** How often logins from there have failed lately. */
  readonly tries: number;
  /** The slow part: whether the password is right. */
  readonly hash: () => Promise<boolean>;
}

/** `busy`: it was not looked at, because too many others wait that come first. */
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

/** What whoever waits may do meanwhile. */
export interface Ticket {
  readonly verdict: Promise<Verdict>;
  /** Somebody asks the same, who may come earlier. */
  readonly join: (standing: Standing) => void;
}

/** Hashes at once. The second is for the trusted, and for users at whose names nobody guesses: they do not wait for a flood. */
const places = 2;
/** Once so many guesses have come to the second place lately, from whoever knows many names, it is for the trusted alone. */
const maxWrongBeside = 10;
/** What is left of a single wrong password after two minutes. */
const maxWrongOfQuiet = 0.25;
/** No name of a user: a line feed cannot be in one. */
const besideLane = 'beside\n';
const maxPerLane = 16;
const maxWaiting = 64;
/** Whoever waits longer is told so: a browser or a script does better to ask again. */
const maxWaitMs = 5_000;
/** After one hash for a suspect, none for this many times as long: so suspects get a quarter of one core. */
const restFactor = 3;
const lanesToRemember = 1_000;
const halfLifeMs = 60_000;

/** How many wrong passwords a lane had lately; half of them are forgotten each minute. */
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
 * At most two hashes at once, and in a flood one of them for strangers. First come the trusted, in the order of asking. Then strangers: those
 * from where few logins have failed; of these the lane with the fewest wrong passwords lately, so that a flood against one name
 * holds up no other; within a lane the newest, since in a flood the oldest has waited in vain. A lane that is full loses
 * its last.
 */
export class CheckQueue {
  #waiting: readonly Waiting[] = [];
  #running = 0;
  /** The lanes of strangers of whom one is being looked at. */
  readonly #strangers = new Set<string>();
  #isResting = false;
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
    if (last) this.#turnAway(last);
  }

  #turnAway(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
    waiting.verdict.resolve('busy');
  }

  #inOrder(among: readonly Waiting[]): readonly Waiting[] {
    // At one moment for all: what is forgotten while they are compared would be a difference.
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

  #mayStart({ check, standing }: Waiting): boolean {
    if (this.#running >= places) return false;
    if (standing === 'trusted') return true;
    if (this.#strangers.size > 0) return standing === 'fresh' && this.#isQuiet(check.lane);
    return !(standing === 'suspect' && this.#isResting);
  }

  /** Nobody has guessed at this lane lately, nor does so now. */
  #isQuiet(lane: string): boolean {
    const isBusy = this.#strangers.has(lane) || this.#wrong.of(lane) > maxWrongOfQuiet;
    return !isBusy && this.#wrong.of(besideLane) < maxWrongBeside;
  }

  #startNext(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) if (now - waiting.sinceMs > maxWaitMs) this.#turnAway(waiting);
    const ready = this.#waiting.filter((waiting) => this.#mayStart(waiting));
    const [next] = this.#inOrder(ready);
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((other) => other !== next);
    void this.#run(next);
    this.#startNext();
  }

  async #run({ check, standing, verdict }: Waiting): Promise<void> {
    const isStranger = standing !== 'trusted';
    this.#running += 1;
    const isBeside = isStranger && this.#strangers.size > 0;
    if (isStranger) this.#strangers.add(check.lane);
    const startedMs = performance.now();
    try {
      const isRight = await check.hash();
      if (!isRight && isStranger) this.#wrong.add(check.lane);
      if (!isRight && isBeside) this.#wrong.add(besideLane);
      verdict.resolve(isRight ? 'right' : 'wrong');
    } catch (error) {
      verdict.reject(error);
    } finally {
      this.#running -= 1;
      if (isStranger) this.#strangers.delete(check.lane);
      if (standing === 'suspect') this.#rest((performance.now() - startedMs) * restFactor);
      this.#startNext();
    }
  }

  #rest(ms: number): void {
    this.#isResting = true;
    after(ms, () => {
      this.#isResting = false;
      this.#startNext();
    });
  }
}
