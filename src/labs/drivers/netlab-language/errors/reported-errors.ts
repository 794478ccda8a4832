/**
 * The errors that netlab itself prints, in the form of netsim/utils/log.py: `fatal` prints
 * `Fatal error in <module>: <text>`, `error` prints `<Category> in <module>: <text>` with hints below as `... <hint>`.
 */
import { linesBelow } from './failure-log.ts';

/** `Category in module: text` (any category: plugins bring their own), but not a plain `Warning`. A module may be `netlab up`. */
const categoryLine = /^(?!Warning\b)(?:Fatal error|[A-Z]\w+) in [\w.-]+(?: [\w.-]+)?: \S/;
const otherErrorLine =
  /^(?:FatalError|MissingValue|IncorrectValue|ErrorAbort|ERROR|Error|error|Cannot|Failed)\b/;
/** argparse: `netlab up: error: unrecognized arguments: …`. */
const usageErrorLine = /^[\w. -]+: error: /;

/** Last words that only say that netlab gives up: the cause stands above them. */
const closings: readonly RegExp[] = [
  /Cannot proceed beyond this point due to errors, exiting/,
  /Fatal topology errors, aborting/,
  /Executing Ansible playbook .* failed/,
  /^FatalError in initial: (?:Configuration deployment failed|Failed to normalize device configurations)/,
  /^Fatal error in netlab[\w ]*: .* failed, aborting\.\.\.$/,
  /^Fatal error in netlab: aborting "netlab \w+" request$/,
];

/** Hints that belong to the cause. The others are advice, of the kind "use 'netlab show devices'". */
const tellingHints: readonly RegExp[] = [
  /^error: /,
  /^Line \d+ @ /,
  /^valid values are: /,
  /^FYI: /,
  /^node \S+ routing policy /,
  /^Used on /,
  /^Unnumbered interfaces: /,
  /^The type of /,
  /^This container image is not available online/,
  /^Enable "/,
];

export function isErrorReport(line: string): boolean {
  return categoryLine.test(line);
}

function isErrorLine(line: string): boolean {
  return isErrorReport(line) || otherErrorLine.test(line) || usageErrorLine.test(line);
}

function isClosing(line: string): boolean {
  return closings.some((closing) => closing.test(line));
}

/** netlab's last words when they only say that it gives up; undefined when they say more, or there are none. */
export function closingOf(lines: readonly string[]): string | undefined {
  const last = lines.findLast(isErrorReport);
  return last !== undefined && isClosing(last) ? last : undefined;
}

/** netlab's last words when it gives up before it starts anything (netsim/cli/up.py, run_up, up to `lock_directory`). */
const refusals: readonly RegExp[] = [
  /^Fatal error in netlab: Cannot proceed beyond this point due to errors, exiting$/,
  /^Fatal error in netlab: Fatal topology errors, aborting$/,
  /^Fatal error in netlab: Cannot read YAML from /,
  // The lab of the instance runs in another directory, or a lab runs in this one.
  /^Fatal error in netlab: aborting "netlab up" request$/,
  /^Fatal error in netlab: race condition, lab instance already running in /,
  /^Fatal error in netlab: Cannot start another lab in the same directory$/,
  // A probe of the provider: a command that starts something is of `netlab up`, and its line ends with three dots.
  /^Fatal error in netlab: .* failed, aborting$/,
  /^FatalError in \w+: The topology snapshot file .* does not exist$/,
  usageErrorLine,
];

/**
 * Whether it ended while it wrote its files, on a full disk for example. Its headings tell: the next one comes before it looks for
 * its provider, with all files written. Without a whole snapshot, `down` finds no lab, and there is none.
 */
function endedBeforeStart(lines: readonly string[]): boolean {
  return (
    lines.includes('Creating configuration files') &&
    !lines.some((line) => /^(?:Checking|Starting) /.test(line))
  );
}

/** Whether netlab began nothing: its last error says so, or it did not come so far. */
export function refusesToBegin(lines: readonly string[]): boolean {
  if (endedBeforeStart(lines)) return true;
  const last = lines.findLast(isErrorLine) ?? '';
  return refusals.some((refusal) => refusal.test(last));
}

/** Whether what another program printed can be the cause: netlab has no last word of its own. */
export function leavesCauseOpen(lines: readonly string[]): boolean {
  return closingOf(lines) !== undefined || !lines.some(isErrorReport);
}

/** Words of netlab before an error: the kind of error, and the module of netlab that found it. */
const preface =
  /^(?:(?:Fatal error|[A-Z]\w+) in [\w.-]+(?: [\w.-]+)?|\w*(?:Error|Value|Abort)|error|ERROR|[\w. -]+: error): /;

/** An error with the indented lines that go on with it, and those of its hints that tell the cause. */
function withDetails(lines: readonly string[], start: number): string {
  const more = linesBelow(lines, start, (line) => /^\s+\S/.test(line));
  const hints = linesBelow(lines, start + more.length, (line) => /^(?:\.\.\. |\s+\S)/.test(line))
    .map((line) => line.replace(/^\.\.\. /, ''))
    .join('\n')
    // An explanation of a type has several lines, up to an advice (netsim/data/types.py, `wrong_type_message`).
    .replaceAll(/^FYI: .*(?:\n(?![Uu]se ).*)*/gm, (text) => text.replaceAll('\n', ' '))
    .split('\n')
    .filter((hint) => tellingHints.some((telling) => telling.test(hint)));
  const text = [lines[start]?.replace(preface, ''), ...more].join(' ');
  return hints.length === 0 ? text : `${text} (${hints.join('; ')})`;
}

/**
 * The errors that netlab reported. It collects the errors of a topology and stops once: all of them are the cause then,
 * each said once (of two nodes of one kind, netlab says it twice). Otherwise it is the last one.
 */
export function reportedErrors(lines: readonly string[]): readonly string[] {
  const found = lines.flatMap((line, index) => (isErrorReport(line) && !isClosing(line) ? [index] : []));
  const closing = lines.find(isClosing);
  const counted = closing === undefined ? found.slice(-1) : found;
  if (counted.length > 0) return [...new Set(counted.map((index) => withDetails(lines, index)))];
  const weak = lines.findLastIndex((line) => isErrorLine(line) && !isClosing(line));
  if (weak >= 0) return [withDetails(lines, weak)];
  return closing === undefined ? [] : [closing.replace(preface, '')];
}
