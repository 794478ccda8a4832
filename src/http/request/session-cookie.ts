/** The cookies of logins (RFC 6265): one that holds the secret of a session, and one of each login at the identity provider. */
import type { Request } from 'express';
import * as z from 'zod';
import type { BegunLogin } from '../../access/model/provider-logins.ts';
import type { Config } from '../../config/config.ts';

type Site = Pick<Config, 'basePath' | 'tls'>;
type PublicSite = Site & Pick<Config, 'publicUrl'>;

type Sender = Pick<Request, 'headers' | 'secure'>;

const bareName = 'lab-session';

/**
 * With a prefix, no other site of the domain and no plain HTTP can plant a cookie of this name (RFC 6265bis, section 4.1.3). A
 * `__Host-` cookie has the path `/`, so a service with a base path ignores it.
 */
const protectedName = ({ basePath }: Site, name = bareName): string =>
  `${basePath === '' ? '__Host-' : '__Secure-'}${name}`;

/** Whether the browser certainly uses TLS: to us, or to a trusted proxy. */
const isSurelyEncrypted = (req: Pick<Request, 'secure'>, { tls }: Site): boolean =>
  tls !== undefined || req.secure;

/** The origin of the page shows TLS at a proxy that is not trusted. */
function isEncrypted(req: Sender, site: Site): boolean {
  return isSurelyEncrypted(req, site) || req.headers.origin?.startsWith('https://') === true;
}

/** Returns a `Set-Cookie` with a lifetime in seconds; 0 removes the cookie. */
function setCookie(
  name: string,
  value: string,
  maxAgeSeconds: number,
  { basePath, sameSite = 'Strict' }: { readonly basePath: string; readonly sameSite?: 'Strict' | 'Lax' },
): string {
  const parts = [`${name}=${value}`, `Path=${basePath || '/'}`, `Max-Age=${maxAgeSeconds}`];
  const secure = name.startsWith('__') ? ['Secure'] : [];
  return [...parts, 'HttpOnly', `SameSite=${sameSite}`, ...secure].join('; ');
}

export function sessionCookie(secret: string, maxAgeSeconds: number, req: Sender, site: Site): string {
  const name = isEncrypted(req, site) ? protectedName(site) : bareName;
  return setCookie(name, secret, maxAgeSeconds, site);
}

/** Removes the session cookies that the browser has sent. */
export function clearedCookies(req: Sender, site: Site): string[] {
  const sent = [protectedName(site), bareName].filter((name) => valueOf(req, name) !== undefined);
  return (sent.length === 0 ? [bareName] : sent).map((name) => setCookie(name, '', 0, site));
}

/** One with a longer path comes first, then the oldest (RFC 6265, section 5.4). */
const pairsOf = ({ headers }: Sender): string[] =>
  headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];

function valueOf(req: Sender, name: string): string | undefined {
  return pairsOf(req)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

/** Returns all secrets that the browser sends, the one with the protected name first. */
export function sessionSecretsOf(req: Sender, site: Site): string[] {
  // Under TLS we set no bare cookie. Another site has planted it, to make the user work in the attacker's session.
  const names = isSurelyEncrypted(req, site) ? [protectedName(site)] : [protectedName(site), bareName];
  return names.flatMap((name) => valueOf(req, name) || []);
}

/** The browser of a login at the identity provider: a navigation has no `Origin`, so the public URL tells whether it uses TLS. */
export function publicSender({ publicUrl }: Pick<Config, 'publicUrl'>): Sender {
  return { headers: {}, secure: publicUrl?.startsWith('https:') === true };
}

/** A path of the page. Two slashes at its beginning would name another server. */
export const pagePath = /^\/(?![/\\])[\x21-\x7e]{0,1023}$/;

/** How long a user may take to log in at the identity provider. */
const loginSeconds = 600;

const kept = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });

/** With the path of the page that comes after the login. */
type KeptLogin = BegunLogin & { readonly to: string };

/** Each login has a cookie of its own: a user may begin one in each of two windows. */
function loginName(state: string, site: PublicSite): string {
  const name = `lab-login-${state.replaceAll(/[^\w-]/g, '').slice(0, 16)}`;
  return publicSender(site).secure ? protectedName(site, name) : name;
}

/** The provider, another site, sends the browser back: a strict cookie would not come along. */
const setLoginCookie = (name: string, value: string, maxAgeSeconds: number, { basePath }: Site): string =>
  setCookie(name, value, maxAgeSeconds, { basePath, sameSite: 'Lax' });

export function begunLoginCookie(login: KeptLogin, site: PublicSite): string {
  const value = Buffer.from(JSON.stringify(login)).toString('base64url');
  return setLoginCookie(loginName(login.state, site), value, loginSeconds, site);
}

/** The cookies of more logins would make the headers too large for the service. Each has 1.8 KB at most. */
const maxBegun = 4;

/** Removes the cookies of the oldest logins, so that there is room for another one. */
export function clearedOldLogins(req: Sender, site: PublicSite): string[] {
  const begun = pairsOf(req).filter((pair) => pair.startsWith(loginName('', site)));
  return begun
    .slice(0, Math.max(0, begun.length - maxBegun + 1))
    .map((pair) => setLoginCookie(pair.split('=')[0] ?? '', '', 0, site));
}

export function clearedLoginCookie(state: string, site: PublicSite): string {
  return setLoginCookie(loginName(state, site), '', 0, site);
}

/** Returns the login that this browser has begun with this state; undefined if there is none. */
export function begunLoginIn(req: Sender, state: string, site: PublicSite): KeptLogin | undefined {
  const value = valueOf(req, loginName(state, site));
  if (value === undefined) return undefined;
  try {
    const login = kept.parse(JSON.parse(Buffer.from(value, 'base64url').toString('utf8')));
    return login.state === state && pagePath.test(login.to) ? login : undefined;
  } catch {
    return undefined;
  }
}
