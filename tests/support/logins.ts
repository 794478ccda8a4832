import path from 'node:path';
import { Groups, type Group } from '../../src/access/model/groups.ts';
import type { User, Users } from '../../src/access/model/user.ts';
import { Sessions } from '../../src/access/sessions/sessions.ts';
import { MemoryLogger } from './memory-logger.ts';
import { emptyPlace, temporaryDirectory } from './temporary-directory.ts';

const root = temporaryDirectory();

/** Users in memory, who can be exchanged. */
export class ChangingUsers implements Users {
  #users: readonly User[];
  groups = new Groups();
  readonly #listeners = new Set<Parameters<Users['onChange']>[0]>();

  constructor(users: readonly User[]) {
    this.#users = users;
  }

  readonly byName: Users['byName'] = (name) => this.#users.find((user) => user.name === name);

  readonly lockedByName: Users['lockedByName'] = () => undefined;

  readonly byTokenId: Users['byTokenId'] = (id) => {
    for (const user of this.#users) {
      const token = user.tokens.find((other) => other.id === id);
      if (token) return { user, token };
    }
    return undefined;
  };

  readonly byKey: Users['byKey'] = (fingerprint) => {
    for (const user of this.#users) {
      const key = user.keys?.find((other) => other.fingerprint === fingerprint);
      if (key) return { user, key };
    }
    return undefined;
  };

  readonly onChange: Users['onChange'] = (listener) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  become(users: readonly User[], groups: readonly Group[] = []): void {
    const before = new Map(this.#users.map((user) => [user.name, user]));
    this.#users = users;
    this.groups = new Groups(groups);
    for (const listener of this.#listeners) listener(before);
  }
}

/** Sessions in a file of a directory of their own, or in that of earlier ones. */
export function sessionsIn(
  directory = emptyPlace(root).directory,
  { log = new MemoryLogger(), ttlMs = 3_600_000 } = {},
): Sessions {
  return new Sessions({ file: path.join(directory, 'sessions.json'), ttlMs, log });
}

/** A browser that is not known. */
export const noBrowser = { address: null, agent: null };
