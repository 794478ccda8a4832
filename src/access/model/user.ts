import type { Groups } from './groups.ts';
import type { UserLimits } from './quotas.ts';
import type { Role } from './role.ts';

/** A secret with which a program logs in as a user. Only its hash is kept. */
export interface Token {
  /** Its name in lists, in the audit and in the secret itself: `tok_8f3a…`. */
  readonly id: string;
  /** The SHA-256 of the whole secret, in hexadecimal. The secret is random, so it needs no slow hash. */
  readonly sha256: string;
  readonly note: string | null;
  /** In ms since 1970; null for never. */
  readonly expiresAtMs: number | null;
}

/** A public key of SSH (RFC 4253, section 6.6). */
export interface UserKey {
  /** `ssh-ed25519`, … */
  readonly type: string;
  /** `SHA256:` and the hash of the key, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
  readonly comment: string;
}

export function isExpired({ expiresAtMs }: Pick<Token, 'expiresAtMs'>): boolean {
  return expiresAtMs !== null && expiresAtMs <= Date.now();
}

/** A password as it is kept: in plain text from the environment, or as a hash in PHC format or in that of bcrypt. */
export type KeptPassword =
  { readonly kind: 'plain'; readonly text: string } | { readonly kind: 'hash'; readonly hash: string };

/** In characters. Of a header of HTTP, there is 16 KiB for all that a request has. */
export const newPasswordLength = { min: 8, max: 1024 } as const;

export interface User {
  readonly name: string;
  readonly role: Role;
  /** See `Principal`. */
  readonly workdirs: readonly string[] | null;
  /** Null for a user who has tokens only, or who logs in through a proxy. */
  readonly password: KeptPassword | null;
  readonly tokens: readonly Token[];
  /** The keys that log the user in over SSH. Absent: none. */
  readonly keys?: readonly UserKey[];
  /** The user keeps everything, and cannot log in. */
  readonly isLocked?: true;
  /** The user's id at the identity provider, which lets them in without a password. */
  readonly subject?: string;
  /** The user is in no file: they have logged in at the identity provider. */
  readonly isGuest?: true;
  /** Absent: those of groups and of the role apply. */
  readonly quotas?: UserLimits;
}

/** The users who can log in: the one of `LAB_API_USER`, those of the users file who are not locked, and guests while they have a session. */
export interface Users {
  readonly byName: (name: string) => User | undefined;
  readonly lockedByName: (name: string) => User | undefined;
  /** Returns expired tokens too, and those of users who are locked. */
  readonly byTokenId: (id: string) => { readonly user: User; readonly token: Token } | undefined;
  /** Returns the keys of locked users, too. */
  readonly byKey: (fingerprint: string) => { readonly user: User; readonly key: UserKey } | undefined;
  /** As the users file has them now. */
  readonly groups: Groups;
  /** Calls `listener` after each change of a user or a group, with the users of before by name, until the returned function is called. */
  readonly onChange: (listener: (before: ReadonlyMap<string, User>) => void) => () => void;
}
