import { isDeepStrictEqual } from 'node:util';
import { AppError, messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { Mutex } from '../../lib/async/mutex.ts';
import { watchFiles } from '../../lib/files/watch-files.ts';
import { Groups } from '../model/groups.ts';
import { Quotas } from '../model/quotas.ts';
import type { Role } from '../model/role.ts';
import type { KeptPassword, Token, User, Users } from '../model/user.ts';
import { decoysOf } from '../passwords/decoy.ts';
import { readUsersFile } from './read-users-file.ts';
import { naming } from './users-file-error.ts';
import type { UsersFile } from './users-schema.ts';

/**
 * Reads a users file by the rules of the service.
 * @param own The name of LAB_API_USER, which none of them may have.
 * @throws UsersFileError. Each of its sentences names the file.
 */
export async function readUsers(file: string, own: string | undefined): Promise<UsersFile> {
  const text = await readUsersFile(file);
  const { parseYaml, usersFileOf } = await import('./parse-users.ts');
  return naming(file, () => usersFileOf(parseYaml(text), own));
}

interface Visitor {
  readonly name: string;
  readonly role: Role;
  /** The `sub` of the identity provider. */
  readonly subject: string;
}

/** Another user has the name. */
function conflictOf({ isGuest, password }: User, { name, subject }: Visitor): AppError {
  const user = JSON.stringify(name);
  if (isGuest)
    return new AppError('conflict', `another user of the identity provider is logged in as ${user}`);
  const remedy =
    password?.kind === 'plain'
      ? 'it is the one of LAB_API_USER'
      : `if that is the same person, an administrator adds "subject: ${JSON.stringify(subject)}" to the entry in the users file`;
  return new AppError('conflict', `this server has a user ${user} of its own: ${remedy}`);
}

interface UserDirectoryOptions {
  /** The user of LAB_API_USER, who is in no file. */
  readonly own: User | undefined;
  /** LAB_API_USERS_FILE. */
  readonly file: string | undefined;
  readonly log: Logger;
}

/** The time until an editor has surely written the whole file. */
const settleMs = 200;

/** All users. The file gives those of its last valid version. */
export class UserDirectory implements Users {
  readonly #own: User | undefined;
  readonly #file: string | undefined;
  readonly #log: Logger;
  readonly #turn = new Mutex();
  readonly #listeners = new Set<Parameters<Users['onChange']>[0]>();
  #ofFile: UsersFile = { users: [], groups: [], quotas: {} };
  #groups = new Groups();
  #quotas = new Quotas();
  /** By name. */
  readonly #guests = new Map<string, User>();
  #all: readonly User[] = [];
  #byName: ReadonlyMap<string, User> = new Map();
  #lockedByName: ReadonlyMap<string, User> = new Map();
  #byTokenId: ReadonlyMap<string, { readonly user: User; readonly token: Token }> = new Map();
  #byKey: ReadonlyMap<string, NonNullable<ReturnType<Users['byKey']>>> = new Map();
  #decoys: ReturnType<typeof decoysOf> = () => undefined;
  /** The last message about an invalid file, so that it is not logged again. */
  #complaint: string | undefined;

  constructor({ own, file, log }: UserDirectoryOptions) {
    this.#own = own;
    this.#file = file;
    this.#log = log;
    this.#take(this.#ofFile);
  }

  readonly byName: Users['byName'] = (name) => this.#byName.get(name);
  readonly lockedByName: Users['lockedByName'] = (name) => this.#lockedByName.get(name);
  readonly byTokenId: Users['byTokenId'] = (id) => this.#byTokenId.get(id);

  get groups(): Groups {
    return this.#groups;
  }

  get quotas(): Quotas {
    return this.#quotas;
  }

  /** All users, those who are locked too; first the one of LAB_API_USER, last the guests. */
  get all(): readonly User[] {
    return this.#all;
  }

  /** The mistake in the present users file, while the users of its last valid version count; undefined if it is valid. */
  get problem(): string | undefined {
    return this.#complaint;
  }

  /** See `decoysOf`. */
  readonly decoyOf = (name: string): KeptPassword | undefined => this.#decoys(name);

  readonly byKey: Users['byKey'] = (fingerprint) => this.#byKey.get(fingerprint);

  readonly onChange: Users['onChange'] = (listener) => {
    // A function of its own for each call, because the same listener may be added twice.
    const listen: typeof listener = (before) => listener(before);
    this.#listeners.add(listen);
    return () => void this.#listeners.delete(listen);
  };

  /** Reads the file for the first time. @throws UsersFileError */
  async load(): Promise<void> {
    if (this.#file === undefined) return;
    this.#take(await readUsers(this.#file, this.#own?.name));
    if (this.#byName.size === 0)
      this.#log.warn('no user can log in: the users file has no users', { file: this.#file });
  }

  /** Reads the file again. If it is invalid, the users stay as they are, the service logs that once, and this is the sentence. */
  async reload(): Promise<string | undefined> {
    const file = this.#file;
    if (file !== undefined) await this.#turn.run(async () => this.#readAgain(file));
    return this.problem && `the users stay who they were: ${this.problem}`;
  }

  /** Reads the file again after each change, until the returned function is called. */
  watch(): () => void {
    const file = this.#file;
    if (file === undefined) return () => undefined;
    const stop = watchFiles([file], {
      settleMs,
      onChange: () => void this.reload(),
      onFail: (error) =>
        this.#log.warn('the users file cannot be watched; use SIGHUP', { file, cause: messageOf(error) }),
    });
    // For changes between the first reading and the watch.
    void this.reload();
    return stop;
  }

  /**
   * Lets a user in who has logged in at the identity provider: as a guest with this role, or as the user of the file who has this
   * subject. @throws AppError `conflict` if another user has the name; `login-refused` if they are locked, or have another name here.
   */
  admit(visitor: Visitor): User {
    const { name, role, subject } = visitor;
    const known = this.#all.find((user) => user.name === name);
    if (known !== undefined && known.subject !== subject) throw conflictOf(known, visitor);
    if (known?.isLocked) throw new AppError('login-refused', `the user ${JSON.stringify(name)} is locked`);
    if (known !== undefined && (!known.isGuest || known.role === role)) return known;
    const renamed = this.#ofFile.users.find((user) => user.subject === subject);
    // Otherwise a new name at the provider would get them around the lock, the role and the directories of their entry.
    if (renamed !== undefined)
      throw new AppError(
        'login-refused',
        `${JSON.stringify(name)} has the subject of ${JSON.stringify(renamed.name)} in the users file: an administrator changes the name or the subject there`,
      );
    const guest: User = { name, role, workdirs: null, password: null, tokens: [], subject, isGuest: true };
    this.#changeGuests(() => this.#guests.set(name, guest));
    return guest;
  }

  /** @param names The users who have a session. Guests without one leave. */
  keepGuests(names: ReadonlySet<string>): void {
    const gone = [...this.#guests.keys()].filter((name) => !names.has(name));
    if (gone.length > 0) this.#changeGuests(() => gone.forEach((name) => this.#guests.delete(name)));
  }

  #changeGuests(change: () => void): void {
    const before = this.#byName;
    change();
    this.#take(this.#ofFile);
    this.#announce(before);
  }

  async #readAgain(file: string): Promise<void> {
    try {
      const content = await readUsers(file, this.#own?.name);
      // Not before: guests come and go while the file is read.
      const [before, all, { groups, quotas }] = [this.#byName, this.#all, this.#ofFile];
      this.#take(content);
      const isMended = this.#complaint !== undefined;
      this.#complaint = undefined;
      const isChanged = !isDeepStrictEqual(
        [all, groups, quotas],
        [this.#all, content.groups, content.quotas],
      );
      if (isChanged || isMended) this.#log.info('the users file was read again', { file });
      if (isChanged) this.#announce(before);
    } catch (error) {
      this.#complain(messageOf(error));
    }
  }

  #complain(cause: string): void {
    if (cause !== this.#complaint)
      this.#log.error('the users file is of no use; the users stay who they were', { cause });
    this.#complaint = cause;
  }

  #take(content: UsersFile): void {
    const { users, groups, quotas } = (this.#ofFile = content);
    this.#groups = new Groups(groups);
    this.#quotas = new Quotas(quotas, users, groups);
    const known = this.#own === undefined ? users : [this.#own, ...users];
    const [names, subjects] = [
      new Set(known.map(({ name }) => name)),
      new Set(users.map((user) => user.subject)),
    ];
    const guests = [...this.#guests.values()];
    this.#all = [
      ...known,
      ...guests.filter(({ name, subject }) => !names.has(name) && !subjects.has(subject)),
    ];
    this.#decoys = decoysOf(this.#all);
    const named = this.#all.map((user) => [user.name, user] as const);
    this.#byName = new Map(named.filter(([, { isLocked }]) => !isLocked));
    this.#lockedByName = new Map(named.filter(([, { isLocked }]) => isLocked));
    this.#byTokenId = new Map(
      this.#all.flatMap((user) => user.tokens.map((token) => [token.id, { user, token }] as const)),
    );
    this.#byKey = new Map(
      this.#all.flatMap((user) => (user.keys ?? []).map((key) => [key.fingerprint, { user, key }] as const)),
    );
  }

  #announce(before: ReadonlyMap<string, User>): void {
    for (const listener of this.#listeners) {
      try {
        listener(before);
      } catch (error) {
        this.#log.error('a change of users was not taken', { cause: messageOf(error) });
      }
    }
  }
}
