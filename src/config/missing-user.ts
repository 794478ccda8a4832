import { asksForLogin } from './asks-for-login.ts';
import type { Config } from './config.ts';

/**
 * Why a service with LAB_API_REQUIRE_AUTH is not to be started; undefined when it may. It is asked at the start, not when the
 * variables are read: `lab health` reads them too, and the user may have come by a flag.
 */
export function missingUser(config: Pick<Config, 'requireAuth' | 'auth' | 'usersFile'>): string | undefined {
  if (!config.requireAuth || asksForLogin(config)) return undefined;
  return (
    'LAB_API_REQUIRE_AUTH: there is no user: set LAB_API_USER and LAB_API_PASSWORD, or LAB_API_USERS_FILE; ' +
    'LAB_API_REQUIRE_AUTH=false lets in everybody who reaches the address'
  );
}
