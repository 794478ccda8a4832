import { statSync } from 'node:fs';
import path from 'node:path';
import { checkAuditFile } from '../access/audit/audit-file.ts';
import { IdentityProvider } from '../access/oidc/identity-provider.ts';
import { readUsers } from '../access/users/user-directory.ts';
import { UsersFileError } from '../access/users/users-file-error.ts';
import { asksForLogin, isLoopback, missingUser } from '../config/protection.ts';
import { secretVariables } from '../config/settings.ts';
import { withSettingsFile } from '../config/settings-file.ts';
import { AllowedRoots } from '../labs/system/allowed-roots.ts';
import { AppError, messageOf } from '../lib/app-error.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';

/** The password allows to run programs; one of this length cannot be guessed within the limit of failed attempts. */
const goodPasswordLength = 16;
const shortestPasswordLength = 8;

/** Checks that a service that others can reach has a password, and that the password cannot be guessed. */
export function checkPassword({ config }: Subject): Finding {
  const { auth, bind, usersFile } = config;
  const noUser = missingUser(config);
  if (noUser !== undefined) {
    const [detail = '', remedy = ''] = noUser.split(': set ');
    return failed(detail, `set ${remedy}`);
  }
  if (!asksForLogin(config)) {
    if (isLoopback(bind)) return ok(`off: all users of this machine may use ${bind}`);
    return warning(
      `every client that reaches ${bind} can run programs on this machine`,
      'set LAB_API_USER and LAB_API_PASSWORD, or LAB_API_BIND=127.0.0.1',
    );
  }
  if (auth === undefined)
    return ok(`on: the users of ${usersFile === undefined ? 'LAB_API_OIDC_ISSUER' : 'LAB_API_USERS_FILE'}`);
  const { length } = auth.password;
  if (length >= shortestPasswordLength) return ok('on');
  const remedy = `choose one of ${goodPasswordLength} characters or more: openssl rand -hex ${goodPasswordLength / 2}`;
  return warning(`the password has ${length} ${length === 1 ? 'character' : 'characters'}`, remedy);
}

/** Whether the service would start with its users file, and whether the file has an administrator. */
export async function checkUsers({ config: { auth, usersFile } }: Subject): Promise<Finding> {
  if (usersFile === undefined) return skipped('LAB_API_USERS_FILE is not set: there is one user at most');
  try {
    const { users } = await readUsers(usersFile, auth?.user);
    const admins = users.filter(({ role }) => role === 'admin').length;
    const counted = `${users.length} ${users.length === 1 ? 'user' : 'users'}`;
    const detail = `${counted}, ${admins === 0 ? 'no' : admins} ${admins > 1 ? 'administrators' : 'administrator'}`;
    if (admins > 0 || auth !== undefined) return ok(`${usersFile}: ${detail}`);
    return warning(`${usersFile}: ${detail}`, 'run "lab user add NAME --role admin"');
  } catch (error) {
    if (!(error instanceof UsersFileError)) throw error;
    return failed(error.message, 'correct it: the service does not start with this error (docs/access.md)');
  }
}

/** Whether the identity provider answers, and is the one that it should be. */
export async function checkProvider({ config: { oidc } }: Subject): Promise<Finding> {
  if (oidc === undefined) return skipped('LAB_API_OIDC_ISSUER is not set: no single sign-on');
  try {
    await new IdentityProvider(oidc).discover();
    return ok(`${oidc.issuer}; register ${oidc.redirectUrl} there`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failed(`${oidc.issuer}: ${error.message}`, 'correct LAB_API_OIDC_ISSUER, or the way to it');
  }
}

/** Whether the service can write its audit file; without one, the audit is in the log alone. */
export async function checkAudit({ config: { auditFile } }: Subject): Promise<Finding> {
  if (auditFile === undefined)
    return skipped(
      'LAB_API_AUDIT_FILE is not set: the audit is in the log of the service, and neither GET /audit nor the page shows it',
    );
  try {
    await checkAuditFile(auditFile);
    return ok(auditFile);
  } catch (error) {
    return failed(messageOf(error), 'correct LAB_API_AUDIT_FILE: the service does not start with this error');
  }
}

/** Whether the directories in LAB_API_ROOTS exist: a misspelt one silently allows nothing. */
export function checkRoots({ config: { roots } }: Subject): Finding {
  if (roots.length === 0) return skipped('LAB_API_ROOTS is not set: requests may name any directory');
  const missing = new AllowedRoots(roots).missing();
  if (missing.length === 0) return ok(roots.join(', '));
  return warning(`not a directory: ${missing.join(', ')}`, 'create it, or correct LAB_API_ROOTS');
}

/** The sessions of browsers. */
const sessionsFile = 'sessions.json';
/** Docker puts secrets there with mode 0444, into a container that has no other users. */
const dockerSecrets = '/run/secrets/';

/** Undefined for a missing or unreadable file: the check that needs it reports that. */
function modeOf(file: string): number | undefined {
  try {
    return statSync(file).mode;
  } catch {
    return undefined;
  }
}

/** Whether other users of the machine may read or write what holds passwords, secrets and sessions. */
export function checkSecretFiles({ config: { dataDir }, env }: Subject): Finding {
  const named = secretVariables.flatMap((variable) => env[`${variable}_FILE`] || []);
  const { ofFile } = withSettingsFile(env);
  const hasSecret = secretVariables.some((variable) => ofFile[variable]);
  const settings = hasSecret ? [ofFile['LAB_API_SETTINGS_FILE'] ?? ''] : [];
  const files = [...named, ...settings, path.join(dataDir, sessionsFile)].filter(
    (file) => modeOf(file) !== undefined,
  );
  if (files.length === 0) return skipped('no secret is in a file of its own');
  const open = files.filter((file) => ((modeOf(file) ?? 0) & 0o007) !== 0 && !file.startsWith(dockerSecrets));
  if (open.length === 0) return ok(files.join(', '));
  return warning(`other users of this machine may read ${open.join(', ')}`, `chmod o= ${open.join(' ')}`);
}
