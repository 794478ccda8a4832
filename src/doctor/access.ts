import { missingUser } from '../config/missing-user.ts';
import { isLoopback } from '../config/is-loopback.ts';
import { AllowedRoots } from '../labs/allowed-roots.ts';
import { failed, ok, skipped, warning, type Finding, type Subject } from './finding.ts';

/** Whoever has the password runs programs; one of this length is not guessed within the limit of failed attempts. */
const goodPasswordLength = 16;
const shortestPasswordLength = 8;

/** Who may use the service: whether there is a password where others reach it, and whether it can be guessed. */
export function checkPassword({ config }: Subject): Finding {
  const { auth, bind } = config;
  const noUser = missingUser(config);
  if (noUser !== undefined) {
    const [detail = '', remedy = ''] = noUser.split(': set ');
    return failed(detail, `set ${remedy}`);
  }
  if (auth === undefined) {
    if (isLoopback(bind)) return ok(`off: everybody on this machine may use ${bind}`);
    return warning(
      `anybody who reaches ${bind} can run programs on this machine`,
      'set LAB_API_USER and LAB_API_PASSWORD, or LAB_API_BIND=127.0.0.1',
    );
  }
  const { length } = auth.password;
  if (length >= shortestPasswordLength) return ok('on');
  const remedy = `choose one of ${goodPasswordLength} characters or more: openssl rand -hex ${goodPasswordLength / 2}`;
  return warning(`the password has ${length} ${length === 1 ? 'character' : 'characters'}`, remedy);
}

/** Whether LAB_API_ROOTS names directories that are there: a misspelt one allows nothing, and nobody is told. */
export function checkRoots({ config: { roots } }: Subject): Finding {
  if (roots.length === 0) return skipped('LAB_API_ROOTS is not set: requests may name any directory');
  const missing = new AllowedRoots(roots).missing();
  if (missing.length === 0) return ok(roots.join(', '));
  return warning(`not a directory: ${missing.join(', ')}`, 'make it, or correct LAB_API_ROOTS');
}
