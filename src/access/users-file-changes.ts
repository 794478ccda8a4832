/** Changes of the users file by the service. */
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import path from 'node:path';
import { AppError, messageOf, systemCode } from '../lib/app-error.ts';
import { Mutex } from '../lib/async/mutex.ts';
import type { Principal } from './model/principal.ts';
import type * as Changes from './users/change-users.ts';
import type { UserDirectory } from './users/user-directory.ts';
import { UsersFileError } from './users/users-file-error.ts';

/** The changes of one user that may wait: each takes a turn at the file. */
const maxWaiting = 16;

const readOnlyCodes: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY']);

/** The mistakes of the file name other users: only administrators read them. */
function asAppError(error: unknown, { role }: Principal): unknown {
  if (!(error instanceof UsersFileError)) return error;
  const code = systemCode(error.cause);
  const kind = readOnlyCodes.has(code) ? 'not-supported' : code === undefined ? 'conflict' : 'storage-fault';
  const remedy = code === 'EBUSY' ? ': mount its directory, not the file' : '';
  const why = role === 'admin' ? `${messageOf(error)}${remedy}` : 'ask an administrator';
  return new AppError(kind, `the users file was not changed: ${why}`, { cause: error });
}

type Change = (document: Changes.YamlDocument, changes: typeof Changes) => void;

interface Parts {
  readonly users: UserDirectory;
  /** LAB_API_USERS_FILE. */
  readonly file: string | undefined;
  /** The name of LAB_API_USER. */
  readonly own: string | undefined;
}

export class UsersFileChanges {
  readonly #parts: Parts;
  readonly #turn = new Mutex();
  /** By the name of the asker: how many changes have not ended. */
  readonly #waiting = new Map<string | null, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Why the service cannot change the file; undefined if it can. */
  async whyReadOnly(): Promise<string | undefined> {
    const { file } = this.#parts;
    if (file === undefined)
      return 'LAB_API_USERS_FILE is not set: set it to a file that the service may write';
    try {
      // The file that is replaced is the one behind a symbolic link.
      const real = await realpath(file);
      for (const place of [real, path.dirname(real)]) await access(place, constants.W_OK);
      return undefined;
    } catch (error) {
      const code = systemCode(error) ?? messageOf(error);
      if (code === 'ENOENT') return `${file} is not there: "lab user add" on the server makes it`;
      return `the service may not write ${file} or its directory (${code}): use "lab user" and "lab token" on the server`;
    }
  }

  /**
   * Changes the file and reads it again. `change` sees the users after the change before it: two administrators cannot remove
   * each other at once.
   * @throws AppError `not-supported`, `unauthorized`, `conflict`, `too-many-attempts`, `storage-fault`, and those of `change`.
   */
  async make(asker: Principal, change: Change): Promise<void> {
    const why = await this.whyReadOnly();
    if (why !== undefined) throw new AppError('not-supported', why);
    const waiting = this.#waiting.get(asker.name) ?? 0;
    if (waiting >= maxWaiting) {
      const message = `${waiting} changes of yours wait already: send them one after the other`;
      throw new AppError('too-many-attempts', message, { retryAfterSeconds: 1 });
    }
    this.#waiting.set(asker.name, waiting + 1);
    try {
      await this.#turn.run(async () => this.#makeInTurn(asker, change));
    } finally {
      const left = (this.#waiting.get(asker.name) ?? 1) - 1;
      if (left > 0) this.#waiting.set(asker.name, left);
      else this.#waiting.delete(asker.name);
    }
  }

  async #makeInTurn(asker: Principal, change: Change): Promise<void> {
    const { file = '', own, users } = this.#parts;
    // Both load the parser of YAML, which a service without a users file can do without.
    const { byService, editUsersFile } = await import('./users/edit-users-file.ts');
    const changes = await import('./users/change-users.ts');
    const edit = async (document: Changes.YamlDocument): Promise<void> => {
      // Inside the lock of the file: the last change, also one by hand, may have been about the asker.
      await users.reload();
      if (asker.revoked.aborted) throw new AppError('unauthorized', 'the login has ended meanwhile');
      change(document, changes);
    };
    try {
      await editUsersFile(file, edit, byService(own));
    } catch (error) {
      throw asAppError(error, asker);
    }
    await users.reload();
    if (users.problem !== undefined)
      throw new AppError(
        'conflict',
        'the users file has a mistake meanwhile, and the change does not count yet',
      );
  }
}
