/** The cookie that holds the secret of a session (RFC 6265). */
import type { Request } from 'express';
import type { Config } from '../../config/config.ts';

type Site = Pick<Config, 'basePath' | 'tls'>;

type Sender = Pick<Request, 'headers' | 'secure'>;

const bareName = 'lab-session';

/**
 * With a prefix, no other site of the domain and no plain HTTP can plant a cookie of this name (RFC 6265bis, section 4.1.3). A
 * `__Host-` cookie has the path `/`, so a service with a base path ignores it.
 */
const protectedName = ({ basePath }: Site): string =>
  `${basePath === '' ? '__Host-' : '__Secure-'}${bareName}`;

/** Whether the browser certainly uses TLS: to us, or to a trusted proxy. */
const isSurelyEncrypted = (req: Pick<Request, 'secure'>, { tls }: Site): boolean =>
  tls !== undefined || req.secure;

/** The origin of the page shows TLS at a proxy that is not trusted. */
function isEncrypted(req: Sender, site: Site): boolean {
  return isSurelyEncrypted(req, site) || req.headers.origin?.startsWith('https://') === true;
}

/** Returns a `Set-Cookie` with a lifetime in seconds; 0 removes the cookie. */
function setCookie(name: string, value: string, maxAgeSeconds: number, basePath: string): string {
  const parts = [`${name}=${value}`, `Path=${basePath || '/'}`, `Max-Age=${maxAgeSeconds}`];
  const secure = name === bareName ? [] : ['Secure'];
  return [...parts, 'HttpOnly', 'SameSite=Strict', ...secure].join('; ');
}

export function sessionCookie(secret: string, maxAgeSeconds: number, req: Sender, site: Site): string {
  const name = isEncrypted(req, site) ? protectedName(site) : bareName;
  return setCookie(name, secret, maxAgeSeconds, site.basePath);
}

/** Removes the session cookies that the browser has sent. */
export function clearedCookies(req: Sender, site: Site): string[] {
  const sent = [protectedName(site), bareName].filter((name) => valueOf(req, name) !== undefined);
  return (sent.length === 0 ? [bareName] : sent).map((name) => setCookie(name, '', 0, site.basePath));
}

function valueOf({ headers }: Sender, name: string): string | undefined {
  // One with a longer path comes first (RFC 6265, section 5.4).
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Returns all secrets that the browser sends, the one with the protected name first. */
export function sessionSecretsOf(req: Sender, site: Site): string[] {
  // Under TLS we set no bare cookie. Another site has planted it, to make the user work in the attacker's session.
  const names = isSurelyEncrypted(req, site) ? [protectedName(site)] : [protectedName(site), bareName];
  return names.flatMap((name) => valueOf(req, name) || []);
}
