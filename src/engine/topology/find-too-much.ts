/** Protects the YAML parser from files that would take a long time or exhaust its stack. */
import { findTooDeep } from '../../lib/text/yaml-depth.ts';

/** The maximum size of a topology: a topology of 5,000 nodes has 200 KB, and the parser takes a second for 1 MiB. */
const sizeMaxChars = 1_048_576;

interface TooMuch {
  readonly offset: number;
  readonly message: string;
}

/** The first reason not to parse `text`; undefined if there is none. */
export function findTooMuch(text: string): TooMuch | undefined {
  if (text.length <= sizeMaxChars) return findTooDeep(text);
  const size = (text.length / 1_048_576).toFixed(1);
  return { offset: 0, message: `the file has ${size} MiB; the limit is 1 MiB` };
}
