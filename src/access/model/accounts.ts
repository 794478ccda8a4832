/** The users, tokens and sessions of the service, as HTTP lists and changes them. Each operation decides whether the asker may do it. */
import type { Principal } from './principal.ts';
import type { Role } from './role.ts';

export interface Account {
  readonly name: string;
  readonly role: Role;
  /** See `Principal`. */
  readonly workdirs: readonly string[] | null;
  readonly hasPassword: boolean;
  readonly isLocked: boolean;
  /** The number of tokens, those that have expired too. */
  readonly tokens: number;
  readonly expiredTokens: number;
  /** The number of sessions that have not ended. */
  readonly sessions: number;
  /** False for the user of LAB_API_USER, and for guests of the identity provider. */
  readonly isInFile: boolean;
  /** The groups that the user is a member or a leader of. */
  readonly groups: readonly string[];
  /** The user's id at the identity provider; null if they do not log in there. */
  readonly subject: string | null;
}

export interface AccountList {
  readonly accounts: readonly Account[];
  /** Why the service cannot change the users file; undefined if it can. */
  readonly whyReadOnly: string | undefined;
  /** The mistake in the present file, while the users of its last valid version count. */
  readonly problem: string | undefined;
}

export interface NewAccount {
  readonly name: string;
  readonly role: Role;
  readonly password?: string | undefined;
  readonly workdirs?: readonly string[] | null | undefined;
}

/** The fields that change. */
export interface AccountChanges {
  readonly role?: Role | undefined;
  /** Null removes it. */
  readonly password?: string | null | undefined;
  /** Null lifts the limit. */
  readonly workdirs?: readonly string[] | null | undefined;
  readonly locked?: boolean | undefined;
}

export interface TokenUse {
  readonly atMs: number;
  /** The address of the client; null if it is unknown. */
  readonly address: string | null;
}

export interface KnownToken {
  readonly id: string;
  readonly user: string;
  readonly note: string | null;
  /** In ms since 1970; null for never. */
  readonly expiresAtMs: number | null;
  /** Null for never, or before the service recorded it. */
  readonly lastUse: TokenUse | null;
}

export interface NewToken {
  /** Undefined for the asker. */
  readonly user: string | undefined;
  readonly note: string | null;
  /** Null for never. */
  readonly expiresAtMs: number | null;
}

/** The browser that began a session. */
export interface Browser {
  readonly address: string | null;
  /** Its `User-Agent`. */
  readonly agent: string | null;
}

export interface KnownSession extends Browser {
  readonly id: string;
  readonly user: string;
  /** The token that began the session; null for a password, and for the identity provider. */
  readonly tokenId: string | null;
  /** It began at the identity provider. */
  readonly isFromProvider: boolean;
  /** RFC 3339, UTC. */
  readonly startedAt: string;
  readonly expiresAt: string;
}

/**
 * Administrators may do everything but change or remove themselves, so one of them always remains. Others may do what is about
 * themselves alone.
 * Changes throw AppError: `forbidden`, `user-not-found`, `conflict`, `not-supported` if the file is read-only, `storage-fault`.
 */
export interface Accounts {
  /** For administrators. */
  list(asker: Principal): Promise<AccountList>;
  add(asker: Principal, account: NewAccount): Promise<Account>;
  change(asker: Principal, name: string, changes: AccountChanges): Promise<Account>;
  remove(asker: Principal, name: string): Promise<void>;
  /** Sets the asker's own password. The caller has checked the present one. */
  changeOwnPassword(asker: Principal, password: string): Promise<void>;
  /** Why tokens and passwords cannot change at present; undefined if they can. */
  whyUnchangeable(asker: Principal): Promise<string | undefined>;
  /** Without `user`, those of the asker; for administrators, those of all users. */
  tokens(asker: Principal, user: string | undefined): readonly KnownToken[];
  /** Returns the secret, too, which is not kept. */
  addToken(
    asker: Principal,
    token: NewToken,
  ): Promise<{ readonly token: KnownToken; readonly secret: string }>;
  /** @throws AppError `token-not-found`, also for a token of another user. */
  removeToken(asker: Principal, id: string): Promise<void>;
  /** See `tokens`. */
  sessions(asker: Principal, user: string | undefined): readonly KnownSession[];
  /** @throws AppError `session-not-found`, also for a session of another user. */
  endSession(asker: Principal, id: string): Promise<void>;
}
