/** The log of a command that failed, as the rules that look for its cause read it. */
import { stripVTControlCharacters } from 'node:util';
import type { Action } from '../../../model/actions.ts';

export interface FailureLog {
  readonly action: Action;
  /** Without colours, and only with the last state of an overwritten progress line. */
  readonly lines: readonly string[];
}

/**
 * Carriage returns overwrite a progress line: its last state follows the last of them. Without a regular expression, which would
 * take minutes for a hundred thousand of them.
 */
function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

export function failureLog(action: Action, logTail: string): FailureLog {
  const lines = stripVTControlCharacters(logTail).split('\n').map(lastState);
  return { action, lines };
}

/** The lines below `start` for as long as `belongs` says so, trimmed. */
export function linesBelow(
  lines: readonly string[],
  start: number,
  belongs: (line: string) => boolean,
): string[] {
  const below = lines.slice(start + 1);
  const end = below.findIndex((line) => !belongs(line));
  return (end < 0 ? below : below.slice(0, end)).map((line) => line.trim());
}
