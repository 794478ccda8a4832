/** Where a text stops being JSON. V8 tells the position of some mistakes only, and shows the text around the others. */
import { messageOf } from '../app-error.ts';

/** Searching a mebibyte for a mistake would block the event loop for most of a second. */
const maxSearchedLength = 64 * 1024;

/** The offset of the mistake; undefined when V8 does not tell it. At the length of the text, it ends too early. */
function offsetIn(text: string): number | undefined {
  try {
    JSON.parse(text);
    return text.length;
  } catch (error) {
    const message = messageOf(error);
    if (/^Unexpected end|^Unterminated string/.test(message)) return text.length;
    const [, position] = / at position (\d+)/.exec(message) ?? [];
    return position === undefined ? undefined : Number(position);
  }
}

/** Whether the text has no mistake but that it ends. */
const isBeginning = (text: string): boolean => offsetIn(text) === text.length;

/** Halves the text until it has the longest beginning that could still become JSON. */
function searchOffset(text: string): number {
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

/**
 * `unexpected "}" at line 1, column 9`: the character that cannot stand there, and no more of the text, which may be secret.
 * Undefined when the text is too long to look for it.
 */
export function describeJsonMistake(text: string): string | undefined {
  const told = offsetIn(text);
  if (told === undefined && text.length > maxSearchedLength) return undefined;
  const offset = told ?? searchOffset(text);
  const before = text.slice(0, offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  const found = text.codePointAt(offset);
  if (found === undefined) return `it ends too early, at ${place}`;
  return `unexpected ${JSON.stringify(String.fromCodePoint(found))} at ${place}`;
}
