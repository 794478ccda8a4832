/** How passwords are kept and checked. How many checks run at a time is up to password-checks.ts. */
import { isSameText } from '../../lib/text/same-text.ts';
import type { KeptPassword } from '../model/user.ts';
import { bcryptProblem, isOfBcrypt } from './bcrypt-hash.ts';
import { isOfScrypt, readScrypt, scryptOf } from './scrypt-hash.ts';

const isBcrypt = (hash: string): boolean => hash.startsWith('$2');
const isScrypt = (hash: string): boolean => hash.startsWith('$scrypt$');

/** The hash to keep: scrypt, in PHC string format. */
export async function hashPassword(text: string): Promise<string> {
  return scryptOf(text);
}

/** What is wrong with a hash (`is …`), for whoever wrote it into a file; undefined when it can be checked. */
export function hashProblem(hash: string): string | undefined {
  if (isBcrypt(hash)) return bcryptProblem(hash);
  if (!isScrypt(hash)) return 'is neither a scrypt hash nor one of bcrypt';
  const parts = readScrypt(hash);
  return typeof parts === 'string' ? parts : undefined;
}

/**
 * Whether `text` is the password that is kept; takes the same time whichever letter is wrong, and 40 ms and more for a hash.
 * False for a hash that cannot be read.
 */
export async function isPassword(kept: KeptPassword, text: string): Promise<boolean> {
  if (kept.kind === 'plain') return isSameText(kept.text, text);
  if (isBcrypt(kept.hash)) return isOfBcrypt(kept.hash, text);
  return isOfScrypt(kept.hash, text);
}
