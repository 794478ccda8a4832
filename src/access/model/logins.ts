/** Logins as HTTP uses them: they find the user by the credentials of a request. */
import type { Browser } from './accounts.ts';
import type { Principal } from './principal.ts';

/** A login with the right secret that the user may not use: only who has the secret learns this. */
export interface Barred {
  readonly kind: 'barred';
  /** The cause and the remedy. */
  readonly why: string;
  readonly user: string;
  readonly tokenId?: string;
  /** See `wrong`. */
  readonly locksOut: boolean;
}

/** The outcome of a login. A refused client does not learn more than this. */
export type LoginOutcome =
  | { readonly kind: 'known'; readonly principal: Principal }
  /** `locksOut`: this failure locks the address out. */
  | { readonly kind: 'wrong'; readonly locksOut: boolean }
  | Barred
  /** The address has failed too often, and its credentials were not checked. */
  | { readonly kind: 'locked'; readonly waitMs: number }
  /** Too many passwords wait for their check. */
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
  /** False on a server without users, which needs no login. */
  readonly isRequired: boolean;
  /** The time until the address may log in again, in ms; 0 if it is not locked out. */
  lockedMs(address: string): number;
  /** Returns a promise only if a slow hash has to be computed. */
  byPassword(name: string, password: string, address: string): LoginOutcome | Promise<LoginOutcome>;
  byToken(secret: string, address: string): LoginOutcome;
  /** The caller has checked that the client has the private key. Undefined for an unknown key, which is no failed login: clients offer all their keys. */
  byKey(fingerprint: string): LoginOutcome | undefined;
  /** Undefined if the session has ended. This is no failed login: browsers send old cookies by themselves. */
  bySession(secret: string): Principal | undefined;
  /** The user whose password the caller has checked, or just set; undefined if there is no such user any more. */
  ofPassword(name: string): Principal | undefined;
  /** The user that a trusted proxy names; undefined if there is no such user. */
  byProxy(name: string): Principal | undefined;
  /**
   * Begins a session for a user who has logged in by password or token.
   * @throws AppError `storage-fault`, `unauthorized` if that credential is no longer valid.
   */
  beginSession(principal: Principal, browser: Browser): Promise<NewSession>;
  /** Ends the session with this secret, if there is one. @throws AppError `storage-fault`. */
  endSession(secret: string): Promise<void>;
  /**
   * Makes a secret that is valid as a token of `principal` until `end`: the service sends requests to itself as that user, for a
   * client at that address.
   */
  lend(principal: Principal, address: string | undefined): Loan;
  /** The address of the client for whom the secret was made; undefined for any other secret. */
  lentTo(secret: string): string | undefined;
  /** The time at which the principal's credential expires, in ms since 1970; null for never. */
  endsAtMs(principal: Principal): number | null;
}
