import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { Mutex } from '../../lib/async/mutex.ts';
import { watchFiles } from '../../lib/files/watch-files.ts';
import type { KeptPassword, Token, User, Users } from '../model/user.ts';
import { decoysOf } from '../passwords/decoy.ts';
import { parseYaml, usersOf } from './parse-users.ts';
import { readUsersFile } from './read-users-file.ts';
import { naming } from './users-file-error.ts';

/**
 * Reads the users of a file by the rules of the service.
 * @param own The name of LAB_API_USER, which none of them may have.
 * @throws UsersFileError. Each of its sentences names the file.
 */
export async function readUsers(file: string, own: string | undefined): Promise<readonly User[]> {
  const text = await readUsersFile(file);
  return naming(file, () => usersOf(parseYaml(text), own));
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
  readonly #listeners = new Set<() => void>();
  #byName: ReadonlyMap<string, User> = new Map();
  #byTokenId: ReadonlyMap<string, { readonly user: User; readonly token: Token }> = new Map();
  #decoys: ReturnType<typeof decoysOf> = () => undefined;
  /** The last message about an invalid file, so that it is not logged again. */
  #complaint: string | undefined;

  constructor({ own, file, log }: UserDirectoryOptions) {
    this.#own = own;
    this.#file = file;
    this.#log = log;
    this.#take([]);
  }

  readonly byName: Users['byName'] = (name) => this.#byName.get(name);
  readonly byTokenId: Users['byTokenId'] = (id) => this.#byTokenId.get(id);

  /** See `decoysOf`. */
  readonly decoyOf = (name: string): KeptPassword | undefined => this.#decoys(name);

  readonly onChange: Users['onChange'] = (listener) => {
    // A function of its own for each call, because the same listener may be added twice.
    const listen = (): void => listener();
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

  /** Reads the file again. If it is invalid, the users stay as they are, and the service logs that once. */
  async reload(): Promise<void> {
    const file = this.#file;
    if (file !== undefined) await this.#turn.run(async () => this.#readAgain(file));
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

  async #readAgain(file: string): Promise<void> {
    try {
      const before = this.#byName;
      this.#take(await readUsers(file, this.#own?.name));
      const isMended = this.#complaint !== undefined;
      this.#complaint = undefined;
      const isChanged = !isDeepStrictEqual(before, this.#byName);
      if (isChanged || isMended) this.#log.info('the users file was read again', { file });
      if (isChanged) this.#announce();
    } catch (error) {
      this.#complain(messageOf(error));
    }
  }

  #complain(cause: string): void {
    if (cause !== this.#complaint)
      this.#log.error('the users file is of no use; the users stay who they were', { cause });
    this.#complaint = cause;
  }

  #take(users: readonly User[]): void {
    const all = this.#own === undefined ? users : [this.#own, ...users];
    this.#byName = new Map(all.map((user) => [user.name, user]));
    this.#decoys = decoysOf(all);
    this.#byTokenId = new Map(
      all.flatMap((user) => user.tokens.map((token) => [token.id, { user, token }] as const)),
    );
  }

  #announce(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#log.error('a change of users was not taken', { cause: messageOf(error) });
      }
    }
  }
}
