/** The messages of Python when netlab itself fails, or asks a question without a terminal. */
import { isErrorReport } from './reported-errors.ts';

const tracebackStart = 'Traceback (most recent call last):';

/** The last frame of netlab's own: a bare `KeyError` does not tell what netlab was busy with. */
function placeIn(lines: readonly string[]): string {
  const frame = lines.findLast((line) => /^ {2}File ".*\/netsim\/.*", line \d+, in \w/.test(line));
  const [, file, where] = /\/(netsim\/[^"]*)", line \d+, in (.*)$/.exec(frame ?? '') ?? [];
  return file === undefined ? '' : ` (in ${where} of ${file})`;
}

/**
 * The last traceback; of one that netlab survived, its own later error is the cause. `remedyFor` says how a job answers
 * a question beforehand.
 */
export function tracebackCause(
  lines: readonly string[],
  remedyFor: (question: string) => string,
): readonly string[] {
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
  return [`the lab CLI asked ${quoted}, which a job cannot answer; ${remedyFor(question)}`];
}

const announcement = /Cannot read YAML from (\S+): (.*)$/;
const markLine = /^ *in ".*", (line \d+, column \d+)$/;

/**
 * PyYAML says in up to four lines what it was doing, where that began, what it met and where
 * (`MarkedYAMLError.__str__`): what it met is the cause, and the last position the one to look at.
 */
export function yamlCause(lines: readonly string[]): readonly string[] {
  const start = lines.findLastIndex((line) => announcement.test(line));
  const [, file, first = ''] = announcement.exec(lines[start] ?? '') ?? [];
  if (file === undefined) return [];
  const text = [first];
  const marks: string[] = [];
  for (const line of lines.slice(start + 1, start + 5)) {
    const mark = markLine.exec(line)?.[1];
    if (mark !== undefined) marks.push(mark);
    else if (/^[a-z]/.test(line)) text.push(line);
    else break;
  }
  const context =
    text.length > 1 ? ` (${[first, marks.length > 1 && marks[0]].filter(Boolean).join(', ')})` : '';
  const position = marks.length === 0 ? '' : `, ${marks.at(-1)}`;
  return [`${file} cannot be read as YAML: ${text.at(-1)}${position}${context}`];
}
