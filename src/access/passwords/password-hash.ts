/** Makes and checks the hashes of passwords. The number of checks at a time is up to password-checks.ts. */
import { isSameText } from '../../lib/text/same-text.ts';
import type { KeptPassword } from '../model/user.ts';
import { bcryptProblem, isOfBcrypt } from './bcrypt-hash.ts';
import { isOfScrypt, readScrypt, scryptOf } from './scrypt-hash.ts';

const isBcrypt = (hash: string): boolean => hash.startsWith('$2');
const isScrypt = (hash: string): boolean => hash.startsWith('$scrypt$');

/** Returns the hash to keep: scrypt, in PHC string format. */
export async function hashPassword(text: string): Promise<string> {
  return scryptOf(text);
}

/** Returns the mistake in a hash (`is …`), for the author of the users file; undefined if the hash can be checked. */
export function hashProblem(hash: string): string | undefined {
  if (isBcrypt(hash)) return bcryptProblem(hash);
  if (!isScrypt(hash)) return 'is neither a scrypt hash nor one of bcrypt';
  const parts = readScrypt(hash);
  return typeof parts === 'string' ? parts : undefined;
}

/**
 * Whether `text` is the password that is kept. The time does not depend on the letter that is wrong; a hash takes 40 ms and
 * more. False for a malformed hash.
 */
export async function isPassword(kept: KeptPassword, text: string): Promise<boolean> {
  if (kept.kind === 'plain') return isSameText(kept.text, text);
  if (isBcrypt(kept.hash)) return isOfBcrypt(kept.hash, text);
  return isOfScrypt(kept.hash, text);
}
