/** Makes the logins from users, passwords and sessions. */
import path from 'node:path';
import { LocalAccounts } from '../access/local-accounts.ts';
import { LocalLogins, noLogins } from '../access/local-logins.ts';
import { FailedLogins } from '../access/failed-logins.ts';
import type { Accounts } from '../access/model/accounts.ts';
import type { Logins } from '../access/model/logins.ts';
import type { ProviderLogins } from '../access/model/provider-logins.ts';
import { IdentityProvider } from '../access/oidc/identity-provider.ts';
import { OidcLogins } from '../access/provider-logins.ts';
import { isPassword } from '../access/passwords/password-hash.ts';
import { PasswordChecks } from '../access/passwords/password-checks.ts';
import { Sessions } from '../access/sessions/sessions.ts';
import { TokenUses } from '../access/token-uses.ts';
import type { UserDirectory } from '../access/users/user-directory.ts';
import { asksForLogin } from '../config/protection.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../lib/logger.ts';

interface Made {
  readonly parts: {
    readonly logins: Logins;
    /** Undefined without an identity provider. */
    readonly provider: ProviderLogins | undefined;
    readonly accounts: Accounts;
  };
  /** Reads the sessions and the uses of tokens of an earlier run. @throws Error if the disk refuses. */
  readonly open: () => Promise<void>;
  /** Ends the checks of sessions, and writes the last uses of tokens. Never rejects. */
  readonly close: () => Promise<void>;
}

/** Reads no file before `open`. */
export function createLogins(config: Config, users: UserDirectory, log: Logger): Made {
  const { dataDir, sessionTtlMs: ttlMs, usersFile } = config;
  const sessions = new Sessions({ file: path.join(dataDir, 'sessions.json'), ttlMs, log });
  const uses = new TokenUses({ file: path.join(dataDir, 'token-uses.json'), users, log });
  const accounts = new LocalAccounts({ users, file: usersFile, own: config.auth?.user, sessions, uses });
  if (!asksForLogin(config))
    return {
      parts: { logins: noLogins(), provider: undefined, accounts },
      open: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  const checks = new PasswordChecks({ isPassword, decoy: users.decoyOf });
  const failures = new FailedLogins();
  const logins = new LocalLogins({ users, checks, sessions, uses, failures });
  const { oidc } = config;
  const provider =
    oidc &&
    new OidcLogins({
      ...oidc,
      provider: new IdentityProvider(oidc),
      rules: oidc,
      users,
      sessions,
      logins,
      failures,
      log,
    });
  return {
    parts: { logins, provider, accounts },
    open: async () => void (await Promise.all([sessions.open(), uses.open()])),
    close: async () => {
      provider?.close();
      await uses.close();
    },
  };
}
