/** Makes the logins from users, passwords and sessions. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { LocalLogins, noLogins } from '../access/local-logins.ts';
import type { Logins } from '../access/model/logins.ts';
import type { KeptPassword, Users } from '../access/model/user.ts';
import { hashPassword, isPassword } from '../access/passwords/password-hash.ts';
import { PasswordChecks } from '../access/passwords/password-checks.ts';
import { Sessions } from '../access/sessions/sessions.ts';
import { asksForLogin } from '../config/protection.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../lib/logger.ts';

interface Made {
  readonly logins: Logins;
  /** Reads the sessions of an earlier run. @throws Error if the disk refuses. */
  readonly open: () => Promise<void>;
}

/** Makes the hash of a random password when it is first needed, and again if the memory was too small. */
function makeDecoy(): () => Promise<KeptPassword> {
  let hash: string | undefined;
  return async () => ({ kind: 'hash', hash: (hash ??= await hashPassword(randomBytes(32).toString('hex'))) });
}

/** Reads no file before `open`. */
export function createLogins(config: Config, users: Users, log: Logger): Made {
  if (!asksForLogin(config)) return { logins: noLogins, open: () => Promise.resolve() };
  const decoy = config.usersFile === undefined ? undefined : makeDecoy();
  const checks = new PasswordChecks({ isPassword, decoy });
  const file = path.join(config.dataDir, 'sessions.json');
  const sessions = new Sessions({ file, ttlMs: config.sessionTtlMs, log });
  return {
    logins: new LocalLogins({ users, checks, sessions }),
    open: async () => sessions.open(),
  };
}
