/** Which paths may stand in an archive, or in a request for one file: what every system takes, and takes for the same file. */

import { harmlessText } from '../text/harmless-text.ts';

/** NAME_MAX of Linux; and room for the directory that the path is below, of the 4096 bytes of PATH_MAX. */
const [maxNameBytes, maxPathBytes, maxDepth] = [255, 1024, 32];

/** U+FFFD stands for bytes that are no UTF-8. */
const forbidden = /[\\\ufffd]|\p{Cs}/u;

type PathReading =
  | { readonly kind: 'path'; readonly parts: readonly string[] }
  /** `why` follows the path in a sentence. */
  | { readonly kind: 'refused'; readonly why: string };

function whyRefused(text: string, parts: readonly string[]): string | undefined {
  if (text.startsWith('/')) return 'is absolute';
  if (forbidden.test(text) || harmlessText(text) !== text)
    return 'has a control character, a mark of the direction of text, a backslash, or bytes that are no UTF-8';
  if (parts.includes('..')) return 'has ".." in it';
  if (parts.some((part) => Buffer.byteLength(part) > maxNameBytes))
    return `has a name of more than ${maxNameBytes} bytes`;
  if (Buffer.byteLength(text) > maxPathBytes) return `has more than ${maxPathBytes} bytes`;
  return parts.length > maxDepth ? `is more than ${maxDepth} directories deep` : undefined;
}

/** Takes a path apart. `./a/` and `a` are the same; a path without a name (`.`) has no parts. */
export function readPath(text: string): PathReading {
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  const why = whyRefused(text, parts);
  return why === undefined ? { kind: 'path', parts } : { kind: 'refused', why };
}

/**
 * The same for two paths that some file system takes for one: macOS and Windows do not tell capitals from small letters, and
 * macOS not the ways of writing an accent (Unicode, UAX 15).
 */
export function foldedPath(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** A path as people may be shown it, in whatever it came. */
export function shownPath(text: string): string {
  const shown = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return harmlessText(JSON.stringify(shown));
}
