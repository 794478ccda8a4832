/** What Python prints when netlab itself breaks, or asks a question that nobody is there to answer. */
import type { Action } from '../../../actions.ts';
import type { FailureLog } from './failure-log.ts';
import { isErrorReport } from './reported-errors.ts';

const tracebackStart = 'Traceback (most recent call last):';

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

/** The last frame of netlab's own: a bare `KeyError` does not tell what netlab was busy with. */
function placeIn(lines: readonly string[]): string {
  const frame = lines.findLast((line) => /^ {2}File ".*\/netsim\/.*", line \d+, in \w/.test(line));
  const [, file, where] = /\/(netsim\/[^"]*)", line \d+, in (.*)$/.exec(frame ?? '') ?? [];
  return file === undefined ? '' : ` (in ${where} of ${file})`;
}

/** The last traceback; of one that netlab survived, its own later error is the cause. */
export function tracebackCause({ lines, action }: FailureLog): readonly string[] {
  const start = lines.findLastIndex((line) => line.includes(tracebackStart));
  if (start < 0 || lines.slice(start).some(isErrorReport)) return [];
  const below = lines.slice(start + 1);
  const last = below.find((line) => /^\w/.test(line));
  if (last === undefined) return [];
  if (!last.startsWith('EOFError: EOF when reading a line')) return [`${last}${placeIn(below)}`];
  // netlab printed its question without a line feed, and Python its traceback right after it.
  const line = lines[start] ?? '';
  const question = line.slice(0, line.indexOf(tracebackStart)).trim();
  const quoted = question === '' ? 'a question' : `"${question}"`;
  return [`the lab CLI asked ${quoted}, which a job cannot answer; ${remedyFor(question, action)}`];
}
