/** The cookie that holds the secret of a session (RFC 6265). */
import type { Request } from 'express';
import type { Config } from '../../config/config.ts';

type Site = Pick<Config, 'basePath' | 'tls'>;

const bareName = 'lab-session';
/** With a prefix, no other site of the domain and no plain HTTP can plant a cookie of this name (RFC 6265bis, section 4.1.3). */
const prefixes = ['__Host-', '__Secure-', ''] as const;

/** Whether the browser has come over TLS: to us, or to a proxy in front of us, as that (if trusted) or the origin of the page says. */
function isEncrypted(req: Pick<Request, 'headers' | 'secure'>, { tls }: Site): boolean {
  return tls !== undefined || req.secure || req.headers.origin?.startsWith('https://') === true;
}

/** A `Set-Cookie` that hands out the secret for so many seconds; 0 takes it back. */
function setCookie(name: string, value: string, maxAgeSeconds: number, basePath: string): string {
  const parts = [`${name}=${value}`, `Path=${basePath || '/'}`, `Max-Age=${maxAgeSeconds}`];
  const secure = name === bareName ? [] : ['Secure'];
  return [...parts, 'HttpOnly', 'SameSite=Strict', ...secure].join('; ');
}

export function sessionCookie(
  secret: string,
  maxAgeSeconds: number,
  req: Pick<Request, 'headers' | 'secure'>,
  site: Site,
): string {
  // A cookie of the first kind has the path `/`.
  const prefix = isEncrypted(req, site) ? (site.basePath === '' ? '__Host-' : '__Secure-') : '';
  return setCookie(prefix + bareName, secret, maxAgeSeconds, site.basePath);
}

/** Takes back whatever the browser has. */
export function clearedCookies(req: Pick<Request, 'headers'>, { basePath }: Site): string[] {
  const sent = prefixes.map((prefix) => prefix + bareName).filter((name) => valueOf(req, name) !== undefined);
  return (sent.length === 0 ? [bareName] : sent).map((name) => setCookie(name, '', 0, basePath));
}

function valueOf({ headers }: Pick<Request, 'headers'>, name: string): string | undefined {
  // One with a longer path comes first (RFC 6265, section 5.4).
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The secret that the browser sends; what a prefix protects comes first. */
export function sessionSecretOf(req: Pick<Request, 'headers'>): string | undefined {
  for (const prefix of prefixes) {
    const value = valueOf(req, prefix + bareName);
    if (value) return value;
  }
  return undefined;
}
