import { stripVTControlCharacters } from 'node:util';

const maxLength = 200;
/** Box-drawing tables, rules and blank lines tell a person nothing about progress. */
const decoration = /^[\s\u2500-\u257f=*_.+|-]*$/u;
/** The last row of a table is no news, and its borders are noise: what stands above the table says what it is. */
const tableRow = /^\s*[|\u2500-\u257f].*[|\u2500-\u257f]\s*$/u;
/**
 * The last line of a log that says something, for people who watch; null when none does. `nonProgress` matches lines of the program
 * that say nothing either.
 */
export function lastMeaningfulLine(logEnd: string, nonProgress?: RegExp): string | null {
  const lines = stripVTControlCharacters(logEnd).split(/\r\n|\n|\r/);
  const isNoise = (text: string): boolean =>
    decoration.test(text) || tableRow.test(text) || nonProgress?.test(text.trimEnd()) === true;
  const line = lines.findLast((text) => !isNoise(text))?.trim();
  if (line === undefined) return null;
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
