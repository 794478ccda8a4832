/** The users of the service: the one of LAB_API_USER, and those of LAB_API_USERS_FILE. */
import type { User } from '../access/model/user.ts';
import { UsersFileError } from '../access/users/users-file-error.ts';
import { UserDirectory } from '../access/users/user-directory.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/load-config.ts';
import type { Logger } from '../lib/logger.ts';

function administrator({ user, password }: NonNullable<Config['auth']>): User {
  const kept = { kind: 'plain', text: password } as const;
  return { name: user, role: 'admin', workdirs: null, password: kept, tokens: [] };
}

/** Reads no file before `openUsers`. */
export function createUsers({ auth, usersFile: file }: Config, log: Logger): UserDirectory {
  return new UserDirectory({ own: auth && administrator(auth), file, log });
}

/** Reads the users now and after each change of their file, until the returned function is called. @throws ConfigError */
export async function openUsers(users: UserDirectory): Promise<() => void> {
  try {
    await users.load();
    return users.watch();
  } catch (error) {
    if (!(error instanceof UsersFileError)) throw error;
    throw new ConfigError(error.problems.map((problem) => `LAB_API_USERS_FILE: ${problem}`));
  }
}
