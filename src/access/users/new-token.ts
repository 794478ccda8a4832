import { randomBytes } from 'node:crypto';
import { sha256Of } from '../../lib/text/sha256.ts';
import type { Token } from '../model/user.ts';

/** A token, and the secret that nobody sees again. It begins as no other program's, so that a scanner of leaked secrets knows it. */
export function newToken({ note, expiresAtMs }: Pick<Token, 'note' | 'expiresAtMs'>): {
  readonly token: Token;
  readonly secret: string;
} {
  const id = `tok_${randomBytes(4).toString('hex')}`;
  const secret = `${id}_${randomBytes(32).toString('base64url')}`;
  return { token: { id, sha256: sha256Of(secret), note, expiresAtMs }, secret };
}
