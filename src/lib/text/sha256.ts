import { createHash } from 'node:crypto';

/** Of the text in UTF-8, in hexadecimal (FIPS 180-4). */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
