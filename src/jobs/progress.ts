import { stripVTControlCharacters } from 'node:util';

const maxLength = 200;
/** Box-drawing tables, rules and blank lines tell a person nothing about progress. */
const decoration = /^[\s\u2500-\u257f=*_.+|-]*$/u;

/** The last line of a log that says something, for people who watch; null when none does. */
export function lastMeaningfulLine(logEnd: string): string | null {
  const lines = stripVTControlCharacters(logEnd).split(/\r\n|\n|\r/);
  const line = lines.findLast((text) => !decoration.test(text))?.trim();
  if (line === undefined) return null;
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
