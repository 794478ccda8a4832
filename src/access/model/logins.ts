/** What HTTP may ask of logins: who somebody is, by what he brings. */
import type { Principal } from './principal.ts';

/** What came of a login. Whoever is refused is told no more than that. */
export type LoginOutcome =
  | { readonly kind: 'known'; readonly principal: Principal }
  /** Wrong. `locksOut`: it was the one too many, and the address has to wait now. */
  | { readonly kind: 'wrong'; readonly locksOut: boolean }
  /** The address has failed too often; what it brought was not looked at. */
  | { readonly kind: 'locked'; readonly waitMs: number }
  /** Too many passwords wait to be looked at. */
  | { readonly kind: 'busy'; readonly waitMs: number };

export interface NewSession {
  readonly secret: string;
  readonly principal: Principal;
}

export interface Loan {
  readonly secret: string;
  readonly end: () => void;
}

export interface Logins {
  /** Whether there are users at all: else anybody may come in. */
  readonly isRequired: boolean;
  /** How long an address is locked out, in ms; 0 when it is not. */
  lockedMs(address: string): number;
  /** A promise only where a slow hash has to be computed. */
  byPassword(name: string, password: string, address: string): LoginOutcome | Promise<LoginOutcome>;
  byToken(secret: string, address: string): LoginOutcome;
  /** Undefined when it has ended. Nobody is locked out for that: browsers send an old cookie by themselves. */
  bySession(secret: string): Principal | undefined;
  /** Somebody whom a proxy that is trusted has named; undefined when there is no such user. */
  byProxy(name: string): Principal | undefined;
  /**
   * Begins a session for somebody who has come by password or token.
   * @throws AppError `storage-fault`, `unauthorized` when that holds no more.
   */
  beginSession(principal: Principal): Promise<NewSession>;
  /** Ends the session with this secret, if there is one, for all that have it. @throws AppError `storage-fault`. */
  endSession(secret: string): Promise<void>;
  /** Makes a secret that is as good as a token of `principal` until `end`: for what the service asks of itself as that user. */
  lend(principal: Principal): Loan;
  /** When what a principal has come by ends by itself, in ms since 1970; null for never. */
  endsAtMs(principal: Principal): number | null;
}
