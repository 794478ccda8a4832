/**
 * Why a command of netlab failed, for people. What netlab prints comes from netsim/utils/log.py: `fatal` prints
 * `Fatal error in <module>: <text>`, `error` prints `<Category> in <module>: <text>` with hints below as `... <hint>`.
 */
import { stripVTControlCharacters } from 'node:util';
import type { Action } from '../../actions.ts';
import type { Ending } from '../lab-driver.ts';

const maxSentenceLength = 500;

/** `Category in module: text` (any category: plugins bring their own), but not a plain `Warning`. A module may be `netlab up`. */
const categoryLine = /^(?!Warning\b)(?:Fatal error|[A-Z]\w+) in [\w.-]+(?: [\w.-]+)?: \S/;
const otherErrorLine =
  /^(?:FatalError|MissingValue|IncorrectValue|ErrorAbort|ERROR|Error|error|Cannot|Failed)\b/;
/** argparse: `netlab up: error: unrecognized arguments: …`. */
const usageErrorLine = /^[\w. -]+: error: /;
const uninformative = 'Cannot proceed beyond this point due to errors, exiting';
const tracebackStart = 'Traceback (most recent call last):';

function isErrorLine(line: string): boolean {
  return categoryLine.test(line) || otherErrorLine.test(line) || usageErrorLine.test(line);
}

/** Indented lines below an error go on with it; `... ` starts a hint. A blank line and a new error end it. */
function withContinuation(lines: readonly string[], start: number): string {
  const text = [lines[start] ?? ''];
  for (const line of lines.slice(start + 1)) {
    if (!/^\s+\S/.test(line)) break;
    text.push(line.trim());
  }
  return text.join(' ');
}

function lastErrors(lines: readonly string[]): string | undefined {
  const last = lines.findLastIndex((line) => categoryLine.test(line) && !line.includes(uninformative));
  const strong =
    last >= 0 ? last : lines.findLastIndex((line) => isErrorLine(line) && !line.includes(uninformative));
  if (strong < 0) return lines.find((line) => line.includes(uninformative));
  if (!lines.some((line) => line.includes(uninformative))) return withContinuation(lines, strong);
  // netlab collects the errors of a topology and gives up once: all of them are the reason.
  const found = lines.flatMap((line, index) =>
    categoryLine.test(line) && !line.includes(uninformative) ? [withContinuation(lines, index)] : [],
  );
  return found.length > 0 ? found.join('; ') : withContinuation(lines, strong);
}

/** Which option of a job answers netlab's question beforehand. */
function remedyFor(question: string, action: Action): string {
  if (action === 'up' && question.startsWith('Do you want to continue')) {
    return 'set "quiet": true to go on without being asked about the cabling';
  }
  if (action === 'down') {
    // One `--force` is not enough: netlab wants two to go on without asking (netsim/cli/down.py, lab_dir_mismatch).
    return 'the lab of that name runs in another directory: stop it there, by its "instance"';
  }
  return `run "${action}" in a terminal to see what it asks`;
}

function tracebackSentence(lines: readonly string[], action: Action): string | undefined {
  const start = lines.findLastIndex((line) => line.includes(tracebackStart));
  if (start < 0) return undefined;
  const last = lines.slice(start + 1).find((line) => /^\w/.test(line));
  if (last === undefined) return undefined;
  if (!last.startsWith('EOFError: EOF when reading a line')) return last;
  // netlab printed its question without a line feed, and Python its traceback right after it.
  const line = lines[start] ?? '';
  const question = line.slice(0, line.indexOf(tracebackStart)).trim();
  const quoted = question === '' ? 'a question' : `"${question}"`;
  return `the lab CLI asked ${quoted}, which a job cannot answer; ${remedyFor(question, action)}`;
}

/** A status has no error to tell when there is nothing to show: the one line that it prints then is the reason. */
function onlyLine(lines: readonly string[]): string | undefined {
  const [first, ...others] = lines.filter((line) => line.trim() !== '');
  return others.length === 0 ? first : undefined;
}

function headline({ action, cliName, exitCode, signal }: Ending): string {
  if (signal !== null) return `${cliName} ${action} was ended by signal ${signal}`;
  if (exitCode === null) return `${cliName} ${action} ended in an unknown way`;
  return `${cliName} ${action} failed with exit code ${exitCode}`;
}

/**
 * One sentence (at most 500 characters) that tells a person why a job failed: how the lab CLI ended, and its last error
 * line when it printed one.
 */
export function errorSentence(ending: Ending): string {
  const lines = stripVTControlCharacters(ending.logTail)
    .split('\n')
    // A progress line is overwritten by carriage returns: what was seen last is after the last one.
    .map((line) => line.replace(/\r+$/, '').split('\r').at(-1) ?? '');
  const tracebackAt = lines.findLastIndex((line) => line.includes(tracebackStart));
  const hasErrorAfter = tracebackAt >= 0 && lines.slice(tracebackAt).some((line) => categoryLine.test(line));
  const traceback = hasErrorAfter ? undefined : tracebackSentence(lines, ending.action);
  const fallback = ending.action === 'status' ? onlyLine(lines) : undefined;
  const detail = (traceback ?? lastErrors(lines) ?? fallback)?.replaceAll(/\s+/g, ' ').trim();
  const sentence = detail === undefined ? headline(ending) : `${headline(ending)}: ${detail}`;
  return sentence.length <= maxSentenceLength ? sentence : `${sentence.slice(0, maxSentenceLength - 1)}…`;
}
