/** Makes the logins from users, passwords and sessions. */
import path from 'node:path';
import { LocalLogins, noLogins } from '../access/local-logins.ts';
import type { Logins } from '../access/model/logins.ts';
import { isPassword } from '../access/passwords/password-hash.ts';
import { PasswordChecks } from '../access/passwords/password-checks.ts';
import { Sessions } from '../access/sessions/sessions.ts';
import type { UserDirectory } from '../access/users/user-directory.ts';
import { asksForLogin } from '../config/protection.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../lib/logger.ts';

interface Made {
  readonly logins: Logins;
  /** Reads the sessions of an earlier run. @throws Error if the disk refuses. */
  readonly open: () => Promise<void>;
}

/** Reads no file before `open`. */
export function createLogins(config: Config, users: UserDirectory, log: Logger): Made {
  if (!asksForLogin(config)) return { logins: noLogins(), open: () => Promise.resolve() };
  const checks = new PasswordChecks({ isPassword, decoy: users.decoyOf });
  const file = path.join(config.dataDir, 'sessions.json');
  const sessions = new Sessions({ file, ttlMs: config.sessionTtlMs, log });
  return {
    logins: new LocalLogins({ users, checks, sessions }),
    open: async () => sessions.open(),
  };
}
