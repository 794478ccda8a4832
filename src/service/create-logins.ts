/** Makes the logins from users, passwords and sessions. */
import path from 'node:path';
import { LocalAccounts } from '../access/local-accounts.ts';
import { LocalLogins, noLogins } from '../access/local-logins.ts';
import type { Accounts } from '../access/model/accounts.ts';
import type { Logins } from '../access/model/logins.ts';
import { isPassword } from '../access/passwords/password-hash.ts';
import { PasswordChecks } from '../access/passwords/password-checks.ts';
import { Sessions } from '../access/sessions/sessions.ts';
import { TokenUses } from '../access/token-uses.ts';
import type { UserDirectory } from '../access/users/user-directory.ts';
import { asksForLogin } from '../config/protection.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../lib/logger.ts';

interface Made {
  readonly logins: Logins;
  readonly accounts: Accounts;
  /** Reads the sessions and the uses of tokens of an earlier run. @throws Error if the disk refuses. */
  readonly open: () => Promise<void>;
  /** Writes the last uses of tokens. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Reads no file before `open`. */
export function createLogins(config: Config, users: UserDirectory, log: Logger): Made {
  const { dataDir, sessionTtlMs: ttlMs, usersFile } = config;
  const sessions = new Sessions({ file: path.join(dataDir, 'sessions.json'), ttlMs, log });
  const uses = new TokenUses({ file: path.join(dataDir, 'token-uses.json'), users, log });
  const accounts = new LocalAccounts({ users, file: usersFile, own: config.auth?.user, sessions, uses });
  if (!asksForLogin(config))
    return { logins: noLogins(), accounts, open: () => Promise.resolve(), close: () => Promise.resolve() };
  const checks = new PasswordChecks({ isPassword, decoy: users.decoyOf });
  return {
    logins: new LocalLogins({ users, checks, sessions, uses }),
    accounts,
    open: async () => void (await Promise.all([sessions.open(), uses.open()])),
    close: async () => uses.close(),
  };
}
