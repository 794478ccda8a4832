import { createHash, timingSafeEqual } from 'node:crypto';

const digestOf = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/** Whether two texts are the same, in a time that tells nothing of where they differ, nor of their lengths. */
export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}
