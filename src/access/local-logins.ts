import { AppError } from '../lib/app-error.ts';
import { sha256Of } from '../lib/text/sha256.ts';
import { isSameText } from '../lib/text/same-text.ts';
import type { FailedLogins } from './failed-logins.ts';
import { Loans } from './loans.ts';
import type { Browser, KnownSession } from './model/accounts.ts';
import type { Barred, LoginOutcome, Logins, NewSession } from './model/logins.ts';
import type { Principal } from './model/principal.ts';
import { isExpired, type KeptPassword, type Token, type User, type Users } from './model/user.ts';
import type { PasswordChecks } from './passwords/password-checks.ts';
import type { Verdict } from './passwords/check-queue.ts';
import { endOf, Principals, substanceOf } from './principals.ts';
import type { Login, Sessions } from './sessions/sessions.ts';
import type { TokenUses } from './token-uses.ts';

interface Parts {
  readonly users: Users;
  readonly checks: PasswordChecks;
  readonly sessions: Sessions;
  readonly uses: Pick<TokenUses, 'note'>;
  readonly failures: FailedLogins;
}

/** The time after which a client may try again if its password could not be checked. */
const busyMs = 2_000;

function lockedWords(name: string): string {
  return `the user ${JSON.stringify(name)} is locked: an administrator can unlock them`;
}

function isSamePassword(one: KeptPassword | null, other: KeptPassword | null | undefined): boolean {
  return one !== null && JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Logs users in by password, token, session or proxy. An address with thirty wrong logins in a minute is locked out, also with
 * the right password or token: otherwise it could go on guessing. Sessions still work, because their random secrets cannot be
 * guessed.
 */
export class LocalLogins implements Logins {
  readonly isRequired = true;
  readonly #parts: Parts;
  readonly #principals: Principals;
  readonly #loans = new Loans();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#principals = new Principals(parts.users);
    parts.sessions.onEnd((id) => this.#principals.endSession(id));
    parts.users.onChange((before) => this.#dropSessions(before));
  }

  /** Ends the sessions of users who were changed, locked or removed, so that lists of sessions have only those that are valid. */
  #dropSessions(before: ReadonlyMap<string, User>): void {
    const { sessions, users } = this.#parts;
    const isChanged = ({ user, tokenId, isFromProvider }: KnownSession): boolean => {
      const [old, now] = [before.get(user), users.byName(user)];
      const login = { kind: isFromProvider ? 'provider' : 'session', tokenId } as const;
      return !old || !now || substanceOf(old, login) !== substanceOf(now, login);
    };
    sessions.drop(
      sessions
        .all()
        .filter(isChanged)
        .map(({ id }) => id),
    );
  }

  lockedMs(address: string): number {
    return this.#parts.failures.lockedMs(address);
  }

  byPassword(name: string, password: string, address: string): LoginOutcome | Promise<LoginOutcome> {
    const waitMs = this.lockedMs(address);
    if (waitMs > 0) return { kind: 'locked', waitMs };
    // Also of a locked user: a wrong password takes as long and is answered as for any other name.
    const kept = this.#named(name)?.password ?? null;
    const verdict = this.#parts.checks.check({ name, password, kept, address });
    if (typeof verdict === 'string') return this.#judge(verdict, name, kept, address);
    return verdict.then((late) => this.#judge(late, name, kept, address));
  }

  #judge(verdict: Verdict, name: string, kept: KeptPassword | null, address: string): LoginOutcome {
    // Other guesses that arrived together have locked the address out. So this verdict is not reported either.
    const waitMs = this.lockedMs(address);
    if (waitMs > 0) return { kind: 'locked', waitMs };
    if (verdict === 'busy') return { kind: 'busy', waitMs: busyMs };
    const user = this.#named(name);
    // The user may have been changed during the check.
    if (verdict === 'wrong' || !user || !isSamePassword(kept, user.password)) return this.#wrong(address);
    if (user.isLocked) return this.#barred(user, undefined, address);
    return { kind: 'known', principal: this.#principals.of(user, { kind: 'password' }) };
  }

  #named(name: string): User | undefined {
    const { users } = this.#parts;
    return users.byName(name) ?? users.lockedByName(name);
  }

  byToken(secret: string, address: string): LoginOutcome {
    // Before the lock-out: local programs must not lock out the users for whom the service sends requests to itself.
    const lent = this.#loans.principalOf(secret);
    if (lent?.revoked.aborted) return { kind: 'wrong', locksOut: false };
    if (lent) return { kind: 'known', principal: lent };
    const waitMs = this.lockedMs(address);
    if (waitMs > 0) return { kind: 'locked', waitMs };
    const known = this.#parts.users.byTokenId(/^tok_[0-9a-f]{4,32}(?=_.)/.exec(secret)?.[0] ?? '');
    const sha256 = sha256Of(secret);
    // Compares unknown ids too: the time must not reveal which ids exist.
    const isSame = isSameText(known?.token.sha256.toLowerCase() ?? '', sha256);
    if (!known || !isSame) return this.#wrong(address);
    const { user, token } = known;
    if (user.isLocked || isExpired(token)) return this.#barred(user, token, address);
    this.#parts.uses.note(token.id, address);
    return { kind: 'known', principal: this.#principals.of(user, { kind: 'token', token }) };
  }

  /** Also from an address that is locked out: a key cannot be guessed. */
  byKey(fingerprint: string): LoginOutcome | undefined {
    const known = this.#parts.users.byKey(fingerprint);
    if (known === undefined) return undefined;
    const { user } = known;
    if (user.isLocked)
      return { kind: 'barred', why: lockedWords(user.name), user: user.name, locksOut: false };
    return { kind: 'known', principal: this.#principals.of(user, { kind: 'key', fingerprint }) };
  }

  /** Counts as a failure too: an old secret may be known to others, and tries cost something. */
  #barred({ name, isLocked }: User, token: Token | undefined, address: string): Barred {
    const end = new Date(token?.expiresAtMs ?? 0).toISOString();
    const why = isLocked ? lockedWords(name) : `the token ${token?.id} has expired (${end}): make a new one`;
    const { locksOut } = this.#wrong(address);
    return { kind: 'barred', why, user: name, ...(token && { tokenId: token.id }), locksOut };
  }

  #wrong(address: string): { readonly kind: 'wrong'; readonly locksOut: boolean } {
    return { kind: 'wrong', locksOut: this.#parts.failures.count(address) };
  }

  bySession(secret: string): Principal | undefined {
    const { sessions, users } = this.#parts;
    const session = sessions.find(secret);
    if (session === undefined) return undefined;
    const { id, tokenId, isFromProvider, expiresAt } = session;
    const kind = isFromProvider ? 'provider' : 'session';
    const user = users.byName(session.user);
    const token = user?.tokens.find((other) => other.id === tokenId);
    if (!user || !sessions.isUnchanged(session, secret, { user, token })) {
      sessions.drop([id]);
      return undefined;
    }
    return this.#principals.of(user, { kind, id, token, endsAtMs: Date.parse(expiresAt) });
  }

  ofPassword(name: string): Principal | undefined {
    const user = this.#parts.users.byName(name);
    return user && this.#principals.of(user, { kind: 'password' });
  }

  byProxy(name: string): Principal | undefined {
    const user = this.#parts.users.byName(name);
    return user && this.#principals.of(user, { kind: 'proxy' });
  }

  async beginSession(principal: Principal, browser: Browser): Promise<NewSession> {
    const login = this.#loginOf(principal, browser);
    if (login === undefined) throw new AppError('unauthorized', 'the user was changed or removed meanwhile');
    const { secret } = await this.#parts.sessions.begin(login);
    const begun = this.bySession(secret);
    if (begun) return { secret, principal: begun };
    throw new AppError('unauthorized', 'the user was changed or removed meanwhile');
  }

  #loginOf(principal: Principal, browser: Browser): Login | undefined {
    const user = principal.revoked.aborted ? undefined : this.#parts.users.byName(principal.name ?? '');
    const credential = this.#principals.credentialOf(principal);
    if (user === undefined || (credential?.kind !== 'password' && credential?.kind !== 'token'))
      return undefined;
    return { user, token: credential.kind === 'token' ? credential.token : undefined, browser };
  }

  async endSession(secret: string): Promise<void> {
    const session = this.#parts.sessions.find(secret);
    if (session) await this.#parts.sessions.end(session.id);
  }

  readonly lend: Logins['lend'] = (principal, address) => this.#loans.lend(principal, address);
  readonly lentTo: Logins['lentTo'] = (secret) => this.#loans.addressOf(secret);

  endsAtMs(principal: Principal): number | null {
    const credential = this.#principals.credentialOf(principal);
    return credential === undefined ? null : endOf(credential);
  }
}

/** The logins of a server without users. */
export const noLogins = (loans = new Loans()): Logins => ({
  isRequired: false,
  lockedMs: () => 0,
  byPassword: () => ({ kind: 'wrong', locksOut: false }),
  byToken: () => ({ kind: 'wrong', locksOut: false }),
  byKey: () => undefined,
  bySession: () => undefined,
  ofPassword: () => undefined,
  byProxy: () => undefined,
  beginSession: () => Promise.reject(new AppError('conflict', 'this server has no users')),
  endSession: () => Promise.resolve(),
  lend: (principal, address) => loans.lend(principal, address),
  lentTo: (secret) => loans.addressOf(secret),
  endsAtMs: () => null,
});
