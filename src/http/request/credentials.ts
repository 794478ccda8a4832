import type { Request } from 'express';
import { sessionSecretsOf } from './session-cookie.ts';

/** The credentials of a request. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly name: string; readonly password: string }
  | { readonly kind: 'token'; readonly secret: string }
  | { readonly kind: 'session'; readonly secret: string }
  /** An `Authorization` of another scheme, or a malformed one. */
  | { readonly kind: 'malformed' };

const malformed: Credentials = { kind: 'malformed' };

/** Throws for bytes that are not UTF-8, and keeps a byte order mark, which may be part of a password. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** RFC 7617, section 2: `user:password` in UTF-8 and base64. The user name has no colon in it. */
function passwordIn(encoded: string): Credentials {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return malformed;
  let text: string;
  try {
    text = decoder.decode(Buffer.from(encoded, 'base64'));
  } catch {
    return malformed;
  }
  const colon = text.indexOf(':');
  // RFC 7617 forbids control characters in both.
  // eslint-disable-next-line no-control-regex
  if (colon === -1 || /[\u0000-\u001f\u007f]/.test(text)) return malformed;
  return { kind: 'password', name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** RFC 6750, section 2.1. */
function tokenIn(text: string): Credentials {
  return /^[\w.~+/-]+=*$/.test(text) ? { kind: 'token', secret: text } : malformed;
}

/** `Authorization` comes before the cookie, which browsers send by themselves. */
export function credentialsOf(
  req: Pick<Request, 'headers' | 'secure'>,
  site: Parameters<typeof sessionSecretsOf>[1],
): Credentials {
  const { authorization } = req.headers;
  if (authorization) {
    const [, scheme = '', text = ''] = /^(\S+) +(\S+) *$/.exec(authorization) ?? [];
    switch (scheme.toLowerCase()) {
      case 'basic':
        return passwordIn(text);
      case 'bearer':
        return tokenIn(text);
      default:
        return malformed;
    }
  }
  const [secret] = sessionSecretsOf(req, site);
  return secret === undefined ? { kind: 'none' } : { kind: 'session', secret };
}
