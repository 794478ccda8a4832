import { createHash, randomBytes } from 'node:crypto';
import type { Token } from '../model/user.ts';

/** What a user gives as `Authorization: Bearer`: the id of the token, and 256 random bits. */
const form = /^(tok_[0-9a-f]{4,32})_[A-Za-z0-9_-]{43}$/;

/** The id of the token that a secret is of; undefined for what is no secret of ours. */
export function tokenIdIn(secret: string): string | undefined {
  return form.exec(secret)?.[1];
}

/** What is kept of a secret. */
export function sha256Of(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** A token, and the secret that nobody sees again. It begins as no other program's, so that a scanner of leaked secrets knows it. */
export function newToken({ note, expiresAtMs }: Pick<Token, 'note' | 'expiresAtMs'>): {
  readonly token: Token;
  readonly secret: string;
} {
  const id = `tok_${randomBytes(4).toString('hex')}`;
  const secret = `${id}_${randomBytes(32).toString('base64url')}`;
  return { token: { id, sha256: sha256Of(secret), note, expiresAtMs }, secret };
}
