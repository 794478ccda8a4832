/** Whether other machines can reach the service, and whether it asks for a login. */
import net from 'node:net';
import type { Config } from './config.ts';

/** Whether only programs on this machine reach what listens on `host`, an IPv6 address also as in a URL. */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || (net.isIPv4(host) && host.startsWith('127.'));
}

/** Whether there are users at all. Without users, every client that reaches the service may do everything. */
export function asksForLogin({
  auth,
  usersFile,
  oidc,
}: Pick<Config, 'auth' | 'usersFile' | 'oidc'>): boolean {
  return auth !== undefined || usersFile !== undefined || oidc !== undefined;
}

/**
 * Why a service with LAB_API_REQUIRE_AUTH must not start; undefined when it may. This is checked at the start, not when
 * the settings are read: `lab health` reads them too, and the user may have come by a flag.
 */
export function missingUser(
  config: Pick<Config, 'requireAuth' | 'auth' | 'usersFile' | 'oidc'>,
): string | undefined {
  if (!config.requireAuth || asksForLogin(config)) return undefined;
  return (
    'LAB_API_REQUIRE_AUTH: there is no user: set LAB_API_USER and LAB_API_PASSWORD, LAB_API_USERS_FILE or LAB_API_OIDC_ISSUER; ' +
    'with LAB_API_REQUIRE_AUTH=false, every client that reaches the address may use the service'
  );
}
