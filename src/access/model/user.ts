import type { Role } from './role.ts';

/** A secret that stands for a user, for programs. What the client holds is not kept. */
export interface Token {
  /** Names it in lists, in the audit and in the secret itself: `tok_8f3a…`. */
  readonly id: string;
  /** Of the whole secret, in hexadecimal. The secret is random, so no slow hash is needed. */
  readonly sha256: string;
  readonly note: string | null;
  /** In ms since 1970; null for never. */
  readonly expiresAtMs: number | null;
}

/** How a password is kept: as it is, from the environment, or as a hash in PHC format or that of bcrypt. */
export type KeptPassword =
  { readonly kind: 'plain'; readonly text: string } | { readonly kind: 'hash'; readonly hash: string };

export interface User {
  readonly name: string;
  readonly role: Role;
  /** See `Principal`. */
  readonly workdirs: readonly string[] | null;
  /** Null for one that has tokens only, or comes through a proxy. */
  readonly password: KeptPassword | null;
  readonly tokens: readonly Token[];
}

/** All users, as they are now: that of `LAB_API_USER` and those of the users file. */
export interface Users {
  readonly byName: (name: string) => User | undefined;
  /** Whether it has expired is not looked at. */
  readonly byTokenId: (id: string) => { readonly user: User; readonly token: Token } | undefined;
  /** Calls `listener` after any of them has changed; the result ends that. */
  readonly onChange: (listener: () => void) => () => void;
}
