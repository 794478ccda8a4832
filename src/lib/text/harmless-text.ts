/**
 * Characters that end a line, move a cursor, begin a terminal sequence or turn the direction of text: control characters (ECMA-48,
 * also the 8-bit ones, which xterm and others obey in UTF-8), the separators of lines and paragraphs, and the marks of
 * https://www.unicode.org/reports/tr9/ which make text look like other text.
 */
// eslint-disable-next-line no-control-regex
export const harmful = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text with each such character as `\u001b`, so that it stays on its line and does nothing. In JSON it means the same as before. */
export function harmlessText(text: string): string {
  return text.replaceAll(
    harmful,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same for text of several lines, which stay. */
export function harmlessTextLines(text: string): string {
  return text.split('\n').map(harmlessText).join('\n');
}

/** The value as JSON on a line of its own, whatever a stranger has put into it. */
export function jsonLine(value: unknown): string {
  return `${harmlessText(JSON.stringify(value))}\n`;
}
