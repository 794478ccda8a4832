import { isSameText } from '../../lib/text/same-text.ts';
import type { KeptPassword } from '../model/user.ts';
import { CheckQueue, type Ticket, type Verdict } from './check-queue.ts';
import { LoginAddresses } from './login-addresses.ts';
import { Verdicts } from './verdicts.ts';

/** The lane of all names that nobody has. No user has this name: a line feed cannot be in one. */
const unknownLane = 'nobody\n';

interface Attempt {
  readonly name: string;
  readonly password: string;
  /** What is kept of the user's password; null when there is no such user, or the user has none. */
  readonly kept: KeptPassword | null;
  /** Where it comes from. */
  readonly address: string;
}

interface Dependencies {
  /** 40 ms of a processor core and more, for a hash. */
  readonly isPassword: (kept: KeptPassword, text: string) => Promise<boolean>;
  /**
   * A hash of nothing that anybody knows: names that nobody has take as long as others. Undefined on a server whose only
   * user is that of the environment.
   */
  readonly decoy: (() => Promise<KeptPassword>) | undefined;
}

/**
 * Whether passwords are right, when finding out is slow and strangers ask a thousand times a second: docs/adr/0018. A password
 * from the environment is compared at once, and so is one that was looked at lately; the rest waits in a `CheckQueue`.
 */
export class PasswordChecks {
  readonly #deps: Dependencies;
  readonly #queue = new CheckQueue();
  readonly #addresses = new LoginAddresses();
  readonly #verdicts = new Verdicts();
  /** By the key of their verdict: who asks the same meanwhile waits for the same hash. */
  readonly #underWay = new Map<string, Ticket>();

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** A promise only where a hash is needed. It rejects when the hash cannot be computed at all. */
  check(attempt: Attempt): Verdict | Promise<Verdict> {
    const { name, password, kept } = attempt;
    // Always compared: how long a refusal takes does not tell whether the name was right.
    const isSame = isSameText(kept?.kind === 'plain' ? kept.text : '', password);
    if (kept?.kind === 'plain' && isSame) return 'right';
    if (kept?.kind !== 'hash' && this.#deps.decoy === undefined) return 'wrong';
    const key = this.#verdicts.keyOf(name, password, kept?.kind === 'hash' ? kept.hash : '');
    const known = this.#verdicts.get(key);
    if (known === undefined) return this.#hash(attempt, key);
    if (known) this.#addresses.noteRight(name, attempt.address, false);
    return known ? 'right' : 'wrong';
  }

  async #hash(attempt: Attempt, key: string): Promise<Verdict> {
    const { name, address } = attempt;
    const standing = this.#addresses.standing(name, address);
    const ticket = this.#underWay.get(key) ?? this.#ask(attempt, key);
    ticket.join(standing);
    if (standing !== 'trusted') this.#addresses.noteTry(address);
    const verdict = await ticket.verdict;
    if (verdict === 'right') this.#addresses.noteRight(name, address, standing !== 'trusted');
    if (verdict === 'wrong') this.#addresses.noteWrong(name, address);
    return verdict;
  }

  #ask({ name, password, kept, address }: Attempt, key: string): Ticket {
    const isHashed = kept?.kind === 'hash';
    const ticket = this.#queue.add({
      lane: isHashed ? name : unknownLane,
      standing: this.#addresses.standing(name, address),
      tries: this.#addresses.tries(address),
      hash: async () => {
        if (isHashed) return this.#deps.isPassword(kept, password);
        const decoy = await this.#deps.decoy?.();
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
