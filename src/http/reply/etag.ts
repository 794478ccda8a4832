import { createHash } from 'node:crypto';

/** A strong entity tag for exactly these bytes (RFC 9110, section 8.8.3). Express then answers `If-None-Match` by itself. */
export function strongETag(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}

const kept = new WeakMap<Buffer, string>();

/** The entity tag of a body that never changes, computed once. */
export function keptETag(body: Buffer): string {
  const tag = kept.get(body) ?? strongETag(body);
  kept.set(body, tag);
  return tag;
}
