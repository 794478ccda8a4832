/** Cuts texts in the middle: a log says at its beginning what it is about, and at its end what went wrong. */
import { isMapping } from '../lib/mapping.ts';

const leftOut = (characters: number): string => `\n[… ${characters} characters are left out …]\n`;

/** The beginning and the end of a text that has more characters than `most`. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return text.slice(0, half) + leftOut(text.length - 2 * half) + text.slice(text.length - half);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isMapping(value) ? Object.values(value).flatMap(textsIn) : [];
}

function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withTexts(one, change)]));
}

/** How many characters a text may have so that all of them together have `most`: short ones leave the rest to long ones. */
function fairLength(lengths: readonly number[], most: number): number {
  let left = most;
  for (const [index, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = left / (lengths.length - index);
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return most;
}

/** The same value with its long texts cut, so that as JSON it has about `most` characters: each gets its share. */
export function shortenedTexts(value: unknown, most: number): unknown {
  const lengthOf = (text: string): number => JSON.stringify(text).length;
  const texts = textsIn(value);
  const all = texts.reduce((sum, text) => sum + lengthOf(text), 0);
  const frame = JSON.stringify(value, null, 1).length - all;
  // Characters that JSON escapes are longer in it, and the sentence about the cut takes room, too.
  const share = fairLength(texts.map(lengthOf), Math.max(0, most - frame)) - leftOut(all).length;
  return withTexts(value, (text) => {
    const length = lengthOf(text);
    return length <= share ? text : shortened(text, Math.floor((Math.max(share, 0) * text.length) / length));
  });
}
