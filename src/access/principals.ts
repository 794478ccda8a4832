/** One principal for each credential in use, with a signal that is aborted when the credential becomes invalid. */
import { setMaxListeners } from 'node:events';
import { after } from '../lib/async/disposal.ts';
import { hasLost, type Membership } from './model/groups.ts';
import type { Principal } from './model/principal.ts';
import type { Token, User, Users } from './model/user.ts';

/** The way in which a user has logged in. */
type Credential =
  | { readonly kind: 'password' }
  | { readonly kind: 'token'; readonly token: Token }
  | { readonly kind: 'key'; readonly fingerprint: string }
  /** `token`: the token that began the session; undefined for a password, and for the identity provider. */
  | {
      readonly kind: 'session' | 'provider';
      readonly id: string;
      readonly token: Token | undefined;
      readonly endsAtMs: number;
    }
  | { readonly kind: 'proxy' };

interface Entry {
  readonly user: User;
  /** The groups of the user as they were last. */
  membership: Membership;
  readonly credential: Credential;
  readonly principal: Principal;
  readonly revoke: () => void;
}

function keyOf(name: string, credential: Credential): string {
  switch (credential.kind) {
    case 'token':
      return `token ${credential.token.id}`;
    case 'key':
      return `key ${credential.fingerprint}`;
    case 'session':
    case 'provider':
      return `session ${credential.id}`;
    case 'password':
    case 'proxy':
      return `${credential.kind} ${name}`;
  }
}

function tokenOf(credential: Credential): Token | undefined {
  return 'token' in credential ? credential.token : undefined;
}

interface Substance {
  readonly kind: Credential['kind'];
  readonly tokenId: string | null;
  /** Of a key. */
  readonly fingerprint?: string | undefined;
}

/** The properties of the user on which a credential depends: when one changes, the credential becomes invalid. */
export function substanceOf(
  { role, workdirs, password, tokens, keys = [], subject }: User,
  { kind, tokenId, fingerprint }: Substance,
): string {
  const isByPassword = kind === 'password' || (kind === 'session' && tokenId === null);
  const kept = tokens.find(({ id }) => id === tokenId);
  return JSON.stringify([
    role,
    workdirs,
    isByPassword ? password : null,
    kind === 'provider' ? subject : null,
    kind === 'key' ? keys.some((key) => key.fingerprint === fingerprint) : null,
    tokenId === null ? null : [kept?.sha256, kept?.expiresAtMs],
  ]);
}

/** The time at which a credential expires, in ms since 1970; null for never. */
export function endOf(credential: Credential): number | null {
  return 'endsAtMs' in credential ? credential.endsAtMs : (tokenOf(credential)?.expiresAtMs ?? null);
}

/** There are as many principals as users, tokens and sessions in use, and all of these are bounded. */
export class Principals {
  readonly #users: Users;
  readonly #entries = new Map<string, Entry>();
  readonly #credentials = new WeakMap<Principal, Credential>();

  constructor(users: Users) {
    this.#users = users;
    users.onChange(() => {
      for (const [key, entry] of this.#entries) if (!this.#holds(entry)) this.#end(key);
    });
  }

  /** Returns the principal of a credential: the same one for each request, as long as the credential is valid. */
  of(user: User, credential: Credential): Principal {
    const key = keyOf(user.name, credential);
    const known = this.#entries.get(key);
    if (known !== undefined && this.#holds(known)) return known.principal;
    this.#end(key);
    const entry = this.#create(user, credential, key);
    this.#entries.set(key, entry);
    this.#credentials.set(entry.principal, credential);
    return entry.principal;
  }

  /** Returns the credential of a principal; undefined for a principal that this object did not make. */
  credentialOf(principal: Principal): Credential | undefined {
    return this.#credentials.get(principal);
  }

  endSession(id: string): void {
    this.#end(`session ${id}`);
  }

  #end(key: string): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    entry?.revoke();
  }

  #holds(entry: Entry): boolean {
    const { user, credential } = entry;
    const [now, membership] = [this.#users.byName(user.name), this.#users.groups.of(user.name)];
    if (now === undefined || hasLost(entry.membership, membership)) return false;
    entry.membership = membership;
    const fingerprint = credential.kind === 'key' ? credential.fingerprint : undefined;
    const login = { kind: credential.kind, tokenId: tokenOf(credential)?.id ?? null, fingerprint };
    return now === user || substanceOf(now, login) === substanceOf(user, login);
  }

  #create(user: User, credential: Credential, key: string): Entry {
    const revoked = new AbortController();
    // Each open stream of the user listens.
    setMaxListeners(0, revoked.signal);
    const endsAtMs = endOf(credential);
    const stopTimer = endsAtMs === null ? undefined : after(endsAtMs - Date.now(), () => this.#end(key));
    const { name, role, workdirs } = user;
    const token = tokenOf(credential);
    return {
      user,
      membership: this.#users.groups.of(user.name),
      credential,
      principal: {
        name,
        role,
        workdirs,
        loggedInBy: credential.kind,
        ...(token && { tokenId: token.id }),
        revoked: revoked.signal,
      },
      revoke: () => {
        stopTimer?.();
        revoked.abort();
      },
    };
  }
}
