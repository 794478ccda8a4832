import type { Config } from './config.ts';

/**
 * Why a service with LAB_API_REQUIRE_AUTH is not to be started; undefined when it may. It is asked at the start, not when the
 * variables are read: `lab health` reads them too, and the user may have come by a flag.
 */
export function missingUser({ requireAuth, auth }: Config): string | undefined {
  if (!requireAuth || auth !== undefined) return undefined;
  return (
    'LAB_API_REQUIRE_AUTH: nobody could log in, for there is no user: set LAB_API_USER and LAB_API_PASSWORD; ' +
    'LAB_API_REQUIRE_AUTH=false lets everybody in who reaches the address'
  );
}
