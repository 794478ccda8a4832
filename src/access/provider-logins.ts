import { AppError, messageOf } from '../lib/app-error.ts';
import { after } from '../lib/async/disposal.ts';
import type { Logger } from '../lib/logger.ts';
import type { FailedLogins } from './failed-logins.ts';
import type { Browser } from './model/accounts.ts';
import type { Logins, NewSession } from './model/logins.ts';
import type { BegunLogin, ProviderLogins } from './model/provider-logins.ts';
import { claimAt, identityOf, type ClaimRules, type Identity } from './oidc/identity.ts';
import type { Grant, IdentityProvider } from './oidc/identity-provider.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { UserDirectory } from './users/user-directory.ts';
import { userNameProblem } from './users/users-schema.ts';

interface Parts {
  readonly provider: IdentityProvider;
  readonly rules: ClaimRules;
  /** Between two checks of a session, in ms. */
  readonly checkMs: number;
  /** Where the provider sends a browser that has logged out. */
  readonly pageUrl: string;
  readonly users: UserDirectory;
  readonly sessions: Sessions;
  readonly logins: Pick<Logins, 'bySession'>;
  readonly failures: Pick<FailedLogins, 'count'>;
  readonly log: Logger;
}

/** The last answer of the provider about a session. */
interface Confirmed {
  readonly grant: Grant;
  readonly identity: Identity;
  /** By `performance.now()`. */
  readonly checkedMs: number;
}

/** A session that began at the provider. */
interface Watched extends Confirmed {
  readonly stopTimer: () => void;
}

/** Without an answer of the provider for so long, a session ends. */
const patienceMs = 3_600_000;

/** Logins that wait for the provider at once. Each holds a connection to it. */
const maxPending = 64;

/**
 * Logs users in at the identity provider, and asks it regularly whether their sessions still hold: a session ends when the
 * provider has ended it, or gives the user another role, another name or none.
 */
export class OidcLogins implements ProviderLogins {
  readonly #parts: Parts;
  /** By the id of the session. */
  readonly #watched = new Map<string, Watched>();
  #pending = 0;
  /** Whether guests without a session are about to leave. */
  #isTidying = false;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.sessions.onEnd((id) => this.#forget(id));
  }

  async begin(): ReturnType<ProviderLogins['begin']> {
    return this.#inTurn(async () => this.#parts.provider.begin());
  }

  async finish(query: string, login: BegunLogin, browser: Browser): Promise<NewSession> {
    const { rules, users, sessions, logins } = this.#parts;
    const grant = await this.#inTurn(async () => this.#redeem(query, login, browser));
    const { subject, refreshToken, lastsMs } = grant;
    const identity = identityOf(grant, rules, userNameProblem);
    const user = users.admit({ ...identity, subject });
    // Without a refresh token, the provider answers no longer than this.
    const endMs = refreshToken === undefined && lastsMs !== undefined ? Date.now() + lastsMs : Infinity;
    const { secret, session } = await sessions.begin({
      user,
      token: undefined,
      browser,
      atProvider: { endMs },
    });
    const principal = logins.bySession(secret);
    if (principal === undefined)
      throw new AppError('login-refused', 'the user was changed, or logged out, meanwhile');
    this.#watch(session.id, { grant, identity, checkedMs: performance.now() });
    return { secret, principal };
  }

  async end(secret: string): Promise<URL | undefined> {
    const { sessions, provider, pageUrl } = this.#parts;
    const id = sessions.find(secret)?.id;
    const watched = id === undefined ? undefined : this.#watched.get(id);
    if (id !== undefined) await sessions.end(id);
    return watched && provider.logoutUrl(watched.grant.idToken, pageUrl).catch(() => undefined);
  }

  /** Counts a code that the provider refuses as a failed login: each attempt is a request to the provider. */
  async #redeem(query: string, login: BegunLogin, { address }: Browser): Promise<Grant> {
    try {
      return await this.#parts.provider.redeem(query, login);
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === 'login-refused';
      if (isRefused && address !== null) this.#parts.failures.count(address);
      throw error;
    }
  }

  /** Ends the checks. */
  close(): void {
    this.#isClosed = true;
    for (const { stopTimer } of this.#watched.values()) stopTimer();
  }

  async #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#pending >= maxPending)
      throw new AppError('provider-unavailable', 'too many logins wait for the identity provider');
    this.#pending += 1;
    try {
      return await ask();
    } finally {
      this.#pending -= 1;
    }
  }

  #watch(id: string, found: Confirmed): void {
    const stopTimer = after(this.#parts.checkMs, () => void this.#check(id));
    this.#watched.set(id, { ...found, stopTimer });
  }

  /** Never rejects. */
  async #check(id: string): Promise<void> {
    const watched = this.#watched.get(id);
    if (watched === undefined) return;
    const next = await this.#renewed(watched).catch((error: unknown) => messageOf(error));
    // It may have ended meanwhile.
    if (this.#isClosed || !this.#watched.has(id)) return;
    if (typeof next === 'string') {
      this.#parts.log.info('a session ended, because the identity provider no longer confirms it', {
        session: id,
        user: watched.identity.name,
        cause: next,
      });
      this.#parts.sessions.drop([id]);
    } else this.#watch(id, next);
  }

  /** Returns what the provider says now. @throws AppError if the session is to end. */
  async #renewed(watched: Confirmed): Promise<Confirmed> {
    const { provider, rules, log } = this.#parts;
    const { grant: before, identity, checkedMs } = watched;
    let grant = before;
    try {
      grant = await provider.renew(before);
      if (grant.subject !== before.subject)
        throw new AppError('login-refused', 'it answers for another user');
      const told = await provider.inform(grant);
      if (tellsRole(told, before, rules)) {
        const { name, role } = identityOf(told, rules, userNameProblem);
        if (name !== identity.name || role !== identity.role)
          throw new AppError('login-refused', `the user is ${name} with the role ${role} now`);
      }
      return { grant: told, identity, checkedMs: performance.now() };
    } catch (error) {
      const isUnanswered = error instanceof AppError && error.code === 'provider-unavailable';
      if (!isUnanswered || performance.now() - checkedMs > patienceMs) throw error;
      log.warn('a session could not be checked', { user: identity.name, cause: messageOf(error) });
      return { grant, identity, checkedMs };
    }
  }

  #forget(id: string): void {
    this.#watched.get(id)?.stopTimer();
    this.#watched.delete(id);
    // Not at once: a guest who was admitted just now has no session yet, and thousands of sessions may end together.
    if (!this.#isTidying) queueMicrotask(() => this.#dismissUnused());
    this.#isTidying = true;
  }

  /** Guests are users as long as they have a session. */
  #dismissUnused(): void {
    const { users, sessions } = this.#parts;
    const names = new Set(sessions.all().map(({ user }) => user));
    this.#isTidying = false;
    users.keepGuests(names);
  }
}

/**
 * Whether an answer tells the present role. The claim is missing for a user without groups, but also in the user info of providers
 * that have it in the ID token alone, and send none with a renewal.
 */
function tellsRole({ ofToken }: Grant, before: Grant, { roleClaim }: ClaimRules): boolean {
  return ofToken !== undefined || claimAt(before.info ?? {}, roleClaim) !== undefined;
}
