import { createHmac, randomBytes } from 'node:crypto';
import { LruCache } from '../../lib/cache/lru-cache.ts';
import { isSameText } from '../../lib/text/same-text.ts';
import type { KeptPassword } from '../model/user.ts';
import { CheckQueue, type Standing, type Ticket, type Verdict } from './check-queue.ts';

/** The lane of all unknown names. No user has this name: it has a line feed in it. */
const unknownLane = 'unknown\n';

const verdictsToRemember = 1_000;
/** A program that asks every second costs one hash in five minutes. */
const rightMs = 300_000;
const wrongMs = 10_000;

/** Remembers verdicts for a short time, so that the same password is not hashed again. It keeps no passwords. */
class Verdicts {
  /** A key of this process: without it, a dump of the memory is of no use to try passwords on. */
  readonly #key = randomBytes(32);
  // Separate, so that a flood of wrong passwords pushes out no right ones.
  readonly #right = new LruCache<number>(verdictsToRemember);
  readonly #wrong = new LruCache<number>(verdictsToRemember);

  /** Returns the key of a password of a user and the hash that is kept: a changed hash has another key. */
  keyOf(name: string, password: string, kept: string): string {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([name, password, kept]))
      .digest('base64');
  }

  get(key: string): boolean | undefined {
    const now = performance.now();
    if ((this.#right.get(key) ?? 0) > now) return true;
    return (this.#wrong.get(key) ?? 0) > now ? false : undefined;
  }

  set(key: string, isRight: boolean): void {
    const [verdicts, ms] = isRight ? [this.#right, rightMs] : [this.#wrong, wrongMs];
    verdicts.set(key, performance.now() + ms);
  }
}

/** Addresses to remember, of each kind. */
const maxAddresses = 20_000;
const triesUntilSuspect = 3;
const triesMemoryMs = 3_600_000;

/** Remembers the addresses from which users have logged in, and those from which logins fail. */
class LoginAddresses {
  /** A user and an address. */
  readonly #trusted = new LruCache<true>(maxAddresses);
  readonly #tries = new LruCache<{ readonly count: number; readonly endsMs: number }>(maxAddresses);

  /** Counts the logins from the address in the last hour that have failed or have no verdict yet. */
  tries(address: string): number {
    const known = this.#tries.get(address);
    return known === undefined || known.endsMs <= performance.now() ? 0 : known.count;
  }

  standing(name: string, address: string): Standing {
    if (this.#trusted.get(placeOf(name, address))) return 'trusted';
    return this.tries(address) < triesUntilSuspect ? 'fresh' : 'suspect';
  }

  /** To be called before the verdict: hundreds of guesses that arrive together must not all be the first one. */
  noteTry(address: string): void {
    this.#tries.set(address, { count: this.tries(address) + 1, endsMs: performance.now() + triesMemoryMs });
  }

  /** Takes back this try only: a user with an account must not be able to clear the count of an address. */
  noteRight(name: string, address: string, wasCounted: boolean): void {
    this.#trusted.set(placeOf(name, address), true);
    const known = this.#tries.get(address);
    if (wasCounted && known) this.#tries.set(address, { ...known, count: Math.max(0, known.count - 1) });
  }

  /** Ends the trust: another person may have the address now. */
  noteWrong(name: string, address: string): void {
    this.#trusted.delete(placeOf(name, address));
  }
}

function placeOf(name: string, address: string): string {
  // No address has a space in it.
  return `${address} ${name}`;
}

interface Attempt {
  readonly name: string;
  readonly password: string;
  /** The password that is kept; null if there is no such user, or the user has none. */
  readonly kept: KeptPassword | null;
  readonly address: string;
}

interface Dependencies {
  /** Takes 40 ms of a processor core and more for a hash. */
  readonly isPassword: (kept: KeptPassword, text: string) => Promise<boolean>;
  /** Returns the hash to check for a name that has none, so that it takes as long as others; undefined if no user has a hash. */
  readonly decoy: (name: string) => KeptPassword | undefined;
}

/**
 * Checks passwords, when a check is slow and strangers guess a thousand times a second: docs/adr/0018. A password from the
 * environment is compared at once, and so is one whose verdict is remembered. All others wait in a `CheckQueue`.
 */
export class PasswordChecks {
  readonly #deps: Dependencies;
  readonly #queue = new CheckQueue();
  readonly #addresses = new LoginAddresses();
  readonly #verdicts = new Verdicts();
  /** By the key of their verdict: clients that send the same password at the same time wait for the same hash. */
  readonly #underWay = new Map<string, Ticket>();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Returns a promise only where a hash is needed. The promise rejects if the hash cannot be computed. */
  check(attempt: Attempt): Verdict | Promise<Verdict> {
    const { name, password, kept } = attempt;
    // Compares in any case: the time of a refusal must not reveal whether the name was right.
    const isSame = isSameText(kept?.kind === 'plain' ? kept.text : '', password);
    if (kept?.kind === 'plain' && isSame) return 'right';
    const decoy = kept?.kind === 'hash' ? undefined : this.#deps.decoy(name);
    if (kept?.kind !== 'hash' && decoy === undefined) return 'wrong';
    const key = this.#verdicts.keyOf(name, password, kept?.kind === 'hash' ? kept.hash : '');
    const known = this.#verdicts.get(key);
    if (known === undefined) return this.#hash(attempt, key, decoy);
    if (known) this.#addresses.noteRight(name, attempt.address, false);
    return known ? 'right' : 'wrong';
  }

  async #hash(attempt: Attempt, key: string, decoy: KeptPassword | undefined): Promise<Verdict> {
    const { name, address } = attempt;
    const standing = this.#addresses.standing(name, address);
    const ticket = this.#underWay.get(key) ?? this.#ask(attempt, key, decoy);
    ticket.join(standing);
    if (standing !== 'trusted') this.#addresses.noteTry(address);
    const verdict = await ticket.verdict;
    if (verdict === 'right') this.#addresses.noteRight(name, address, standing !== 'trusted');
    if (verdict === 'wrong') this.#addresses.noteWrong(name, address);
    return verdict;
  }

  #ask({ name, password, kept, address }: Attempt, key: string, decoy: KeptPassword | undefined): Ticket {
    const isHashed = kept?.kind === 'hash';
    const ticket = this.#queue.add({
      lane: isHashed ? name : unknownLane,
      standing: this.#addresses.standing(name, address),
      tries: this.#addresses.tries(address),
      hash: async () => {
        if (isHashed) return this.#deps.isPassword(kept, password);
        if (decoy) await this.#deps.isPassword(decoy, password);
        return false;
      },
    });
    this.#underWay.set(key, ticket);
    const settle = (verdict?: Verdict): void => {
      this.#underWay.delete(key);
      if (verdict === 'right' || verdict === 'wrong') this.#verdicts.set(key, verdict === 'right');
    };
    ticket.verdict.then(settle, () => settle());
    return ticket;
  }
}
