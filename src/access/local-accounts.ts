import { AppError } from '../lib/app-error.ts';
import type {
  Account,
  AccountChanges,
  AccountList,
  Accounts,
  KnownSession,
  KnownToken,
  NewAccount,
  NewToken,
} from './model/accounts.ts';
import type { Membership } from './model/groups.ts';
import type { Principal } from './model/principal.ts';
import { isExpired, type Token, type User } from './model/user.ts';
import { hashPassword } from './passwords/password-hash.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { TokenUses } from './token-uses.ts';
import { maxUsersFileBytes } from './users/read-users-file.ts';
import type { UserDirectory } from './users/user-directory.ts';
import { UsersFileChanges } from './users-file-changes.ts';

interface Parts {
  readonly users: UserDirectory;
  /** LAB_API_USERS_FILE. */
  readonly file: string | undefined;
  /** The name of LAB_API_USER. */
  readonly own: string | undefined;
  readonly sessions: Sessions;
  readonly uses: Pick<TokenUses, 'of'>;
}

/** The users file has room for some 1,500 tokens: one user must not fill it. `lab token create` has no such limit. */
const maxOwnTokens = 32;

/** The part of the file that users who are not administrators cannot fill, so that administrators can always lock a user. */
const reservedBytes = 32 * 1024;

function forbidden(message: string): AppError {
  return new AppError('forbidden', message);
}

/** Keeps the users file as the only truth: each change is one of the file, and the service reads the file again. */
export class LocalAccounts implements Accounts {
  readonly #parts: Parts;
  readonly #file: UsersFileChanges;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#file = new UsersFileChanges(parts);
  }

  async list(asker: Principal): Promise<AccountList> {
    requireAdministrator(asker);
    const { users, sessions } = this.#parts;
    const sessionsOf = new Map<string, number>();
    for (const { user } of sessions.all()) sessionsOf.set(user, (sessionsOf.get(user) ?? 0) + 1);
    const accounts = users.all.map((user) =>
      accountOf(user, sessionsOf.get(user.name) ?? 0, users.groups.of(user.name)),
    );
    return { accounts, whyReadOnly: await this.#file.whyReadOnly(), problem: users.problem };
  }

  async add(asker: Principal, { name, role, password, workdirs }: NewAccount): Promise<Account> {
    requireAdministrator(asker);
    const hash = password === undefined ? undefined : await hashPassword(password);
    await this.#file.make(asker, (document, { addUser }) => {
      const known = this.#find(name);
      if (known && !known.isGuest)
        throw new AppError('conflict', `there is a user ${JSON.stringify(name)} already`);
      addUser(document, { name, role, password: hash, workdirs: workdirs ?? null });
    });
    return this.#account(name);
  }

  async change(asker: Principal, name: string, changes: AccountChanges): Promise<Account> {
    this.#requireOther(asker, name);
    const { role, workdirs, locked, password } = changes;
    const hash = password ? await hashPassword(password) : password;
    await this.#file.make(asker, (document, { changeUser }) => {
      this.#userInFile(name);
      changeUser(document, name, {
        ...(role !== undefined && { role }),
        ...(workdirs !== undefined && { workdirs }),
        ...(hash !== undefined && { password: hash }),
        ...(locked !== undefined && { locked: locked || null }),
      });
    });
    return this.#account(name);
  }

  async remove(asker: Principal, name: string): Promise<void> {
    this.#requireOther(asker, name);
    await this.#file.make(asker, (document, { removeUser }) => {
      this.#userInFile(name);
      removeUser(document, name);
    });
  }

  async changeOwnPassword(asker: Principal, password: string): Promise<void> {
    const name = nameOf(asker);
    const hash = await hashPassword(password);
    await this.#file.make(asker, (document, { changeUser }) => {
      this.#userInFile(name);
      changeUser(document, name, { password: hash });
    });
  }

  async whyUnchangeable({ role }: Principal): Promise<string | undefined> {
    const { problem } = this.#parts.users;
    const mistake = problem === undefined ? undefined : `the users file has a mistake: ${problem}`;
    const why = (await this.#file.whyReadOnly()) ?? mistake;
    // A mistake names other users.
    const isTold = why === undefined || role === 'admin';
    return isTold ? why : 'the service cannot change the users file at present: ask an administrator';
  }

  tokens(asker: Principal, user: string | undefined): readonly KnownToken[] {
    const isWanted = wanted(asker, user);
    return this.#parts.users.all
      .filter(({ name }) => isWanted(name))
      .flatMap(({ name, tokens }) => tokens.map((token) => this.#tokenOf(name, token)));
  }

  async addToken(
    asker: Principal,
    { user, note, expiresAtMs }: NewToken,
  ): Promise<{ readonly token: KnownToken; readonly secret: string }> {
    const name = user ?? nameOf(asker);
    const isAdmin = asker.role === 'admin';
    if (!isAdmin && name !== asker.name) throw forbidden('only an administrator makes tokens of other users');
    // A stolen token must not make others that outlive it.
    if (!isAdmin && asker.tokenId !== undefined)
      throw forbidden('a token makes no further tokens: log in with a password');
    const check = (): void => {
      const { tokens } = this.#userInFile(name);
      if (tokens.length >= maxOwnTokens)
        throw new AppError('conflict', `${name} has ${tokens.length} tokens: revoke one first`);
    };
    check();
    const { newToken } = await import('./users/change-users.ts');
    const { token, secret } = newToken({ note, expiresAtMs });
    await this.#file.make(asker, (document, { addToken }) => {
      check();
      addToken(document, name, token);
      if (!isAdmin && Buffer.byteLength(document.toString()) > maxUsersFileBytes - reservedBytes)
        throw new AppError('conflict', 'the users file is full: ask an administrator');
    });
    return { token: this.#tokenOf(name, token), secret };
  }

  async removeToken(asker: Principal, id: string): Promise<void> {
    const check = (): void => {
      if (!this.tokens(asker, undefined).some((token) => token.id === id))
        throw new AppError('token-not-found', `there is no token ${JSON.stringify(id)}`);
    };
    // Before it takes a turn at the file: ids that do not exist cost nothing.
    check();
    await this.#file.make(asker, (document, { removeToken }) => {
      check();
      removeToken(document, id);
    });
  }

  sessions(asker: Principal, user: string | undefined): readonly KnownSession[] {
    const isWanted = wanted(asker, user);
    return this.#parts.sessions.all().filter((session) => isWanted(session.user));
  }

  async endSession(asker: Principal, id: string): Promise<void> {
    if (!this.sessions(asker, undefined).some((session) => session.id === id))
      throw new AppError('session-not-found', `there is no session ${JSON.stringify(id)}`);
    await this.#parts.sessions.end(id);
  }

  #find(name: string): User | undefined {
    return this.#parts.users.all.find((user) => user.name === name);
  }

  #account(name: string): Account {
    const user = this.#find(name);
    const { sessions, users } = this.#parts;
    const begun = sessions.all().filter((one) => one.user === name).length;
    if (user) return accountOf(user, begun, users.groups.of(name));
    throw new AppError('conflict', `${JSON.stringify(name)} was removed meanwhile`);
  }

  #tokenOf(user: string, { id, note, expiresAtMs }: Token): KnownToken {
    return { id, user, note, expiresAtMs, lastUse: this.#parts.uses.of(id) };
  }

  #requireOther(asker: Principal, name: string): void {
    requireAdministrator(asker);
    if (name === asker.name)
      throw forbidden(
        'administrators cannot change or remove themselves: another one can. PUT /session/password sets your own password',
      );
  }

  /** @throws AppError `user-not-found`; `conflict` for one who is in no file. */
  #userInFile(name: string): User {
    const user = this.#find(name);
    if (!user) throw new AppError('user-not-found', `there is no user ${JSON.stringify(name)}`);
    if (user.isGuest)
      throw new AppError(
        'conflict',
        `${JSON.stringify(name)} comes from the identity provider: add them to the users file, with "subject: ${JSON.stringify(user.subject)}"`,
      );
    if (user.password?.kind !== 'plain') return user;
    throw new AppError(
      'conflict',
      `${JSON.stringify(name)} comes from LAB_API_USER and LAB_API_PASSWORD: change those, and restart the service`,
    );
  }
}

function accountOf(user: User, sessions: number, { groups }: Membership): Account {
  const { name, role, workdirs, password, isLocked, tokens, subject, isGuest } = user;
  return {
    name,
    role,
    workdirs,
    hasPassword: password !== null,
    isLocked: isLocked ?? false,
    tokens: tokens.length,
    expiredTokens: tokens.filter(isExpired).length,
    sessions,
    isInFile: password?.kind !== 'plain' && !isGuest,
    groups: [...groups],
    subject: subject ?? null,
  };
}

function requireAdministrator({ role }: Principal): void {
  if (role !== 'admin') throw forbidden('only administrators manage users');
}

function nameOf({ name }: Principal): string {
  if (name !== null) return name;
  throw new AppError('conflict', 'this server has no users, so no user is logged in');
}

/** Returns whether a list has the entries of a user. @throws AppError `forbidden`. */
function wanted(asker: Principal, user: string | undefined): (name: string) => boolean {
  if (asker.role === 'admin') return (name) => user === undefined || user === name;
  if (user !== undefined && user !== asker.name)
    throw forbidden('only an administrator sees the tokens and sessions of other users');
  return (name) => name === asker.name;
}
