/**
 * Why a command of netlab failed, for people. How the cause is found in a log: the first rule of the list that recognizes
 * something says it. To tell of another cause, add a rule, and a log that netlab printed to tests/fixtures/netlab/errors.
 */
import type { Action } from '../../model/actions.ts';
import type { JobResult } from '../../model/job-result.ts';
import type { Ending } from '../lab-driver.ts';
import { failedCommands, sentenceOf } from '../sentence.ts';
import { failedTasks, unreachableHosts } from './errors/ansible-failures.ts';
import { failureLog, type FailureLog } from './errors/failure-log.ts';
import { closingOf, isErrorReport, leavesCauseOpen, reportedErrors } from './errors/reported-errors.ts';

interface ErrorRule {
  /** The kind of message. */
  readonly name: string;
  /** One text for each error; empty if it recognizes none. */
  readonly say: (log: FailureLog, result: JobResult | null) => readonly string[];
}

const tracebackStart = 'Traceback (most recent call last):';

/** The last frame of netlab's own: a bare `KeyError` does not tell what netlab was busy with. */
function placeIn(lines: readonly string[]): string {
  const frame = lines.findLast((line) => /^ {2}File ".*\/netsim\/.*", line \d+, in \w/.test(line));
  const [, file, where] = /\/(netsim\/[^"]*)", line \d+, in (.*)$/.exec(frame ?? '') ?? [];
  return file === undefined ? '' : ` (in ${where} of ${file})`;
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

/** netsim/providers/clab/labops.py, load_kmods. */
const noModules =
  'netlab looks for modules in /proc/modules, which this kernel does not have: give netlab an empty list of them in ~/.netlab.yml, such as "devices.frr.clab.kmods.initial: []", and for VRFs "providers.clab.kmods.vrf: []"';

/** The last traceback; of one that netlab survived, its own later error is the cause. */
function tracebackCause({ lines, action }: FailureLog): readonly string[] {
  const start = lines.findLastIndex((line) => line.includes(tracebackStart));
  if (start < 0 || lines.slice(start).some(isErrorReport)) return [];
  const below = lines.slice(start + 1);
  const last = below.find((line) => /^\w/.test(line));
  if (last === undefined) return [];
  if (last.endsWith("No such file or directory: '/proc/modules'")) return [noModules];
  if (!last.startsWith('EOFError: EOF when reading a line')) return [`${last}${placeIn(below)}`];
  // netlab printed its question without a line feed, and Python its traceback right after it.
  const line = lines[start] ?? '';
  const question = line.slice(0, line.indexOf(tracebackStart)).trim();
  const quoted = question === '' ? 'a question' : `"${question}"`;
  return [`the lab CLI asked ${quoted}, which a job cannot answer; ${remedyFor(question, action)}`];
}

const announcement = /Cannot read YAML from (\S+): (.*)$/;
const markLine = /^ *in ".*", line (\d+), column (\d+)$/;

/**
 * PyYAML says in up to four lines what it was doing, where that began, what it met and where
 * (`MarkedYAMLError.__str__`): what it met is the cause, and the last position the one to look at.
 */
function yamlCause(lines: readonly string[]): readonly string[] {
  const start = lines.findLastIndex((line) => announcement.test(line));
  const [, file, first = ''] = announcement.exec(lines[start] ?? '') ?? [];
  if (file === undefined) return [];
  const text = [first];
  const marks: string[] = [];
  for (const line of lines.slice(start + 1, start + 5)) {
    const [, row, column] = markLine.exec(line) ?? [];
    if (row !== undefined) marks.push(`${row}:${column}`);
    else if (/^[a-z]/.test(line)) text.push(line);
    else break;
  }
  const begun = marks.length > 1 ? ` at ${marks[0]}` : '';
  const context = text.length > 1 ? ` (${first}${begun})` : '';
  const position = marks.length === 0 ? ' cannot be read as YAML' : `:${marks.at(-1)}`;
  return [`${file}${position}: ${text.at(-1)}${context}`];
}

/** `15:04:05 ERRO text`, `ERRO[0001] text`, `Error: text`, `docker: Error response from daemon: text`. */
const errorLine =
  /^(?:[\d:]+ )?(?:(?:ERRO|FATA|ERROR|FATAL)(?:\[\d+\])?\s+|(?:docker: )?(?:Error|error|panic):\s*|docker: Error response from daemon: )(.+)$/;

const missingImage: readonly RegExp[] = [
  /Unable to find image '([^']+)' locally/,
  /(?:No such image|no such image): (\S+)/,
  /pull access denied for ([^\s,]+)/,
  /manifest for (\S+) not found/,
];

function imageIn(line: string): string | undefined {
  return missingImage.map((words) => words.exec(line)?.[1]).find((image) => image !== undefined);
}

/** A container image that is neither on this machine nor to be had; why, when docker said it. */
function missingImages(lines: readonly string[]): readonly string[] {
  const images = new Set(lines.flatMap((line) => imageIn(line) ?? []));
  if (images.size === 0) return [];
  const refusal = lines.findLast((line) => line.includes('Error response from daemon: '));
  const why = refusal?.slice(refusal.indexOf('daemon: ') + 'daemon: '.length);
  const names = [...images].map((image) => image.replace(/[.,;:]+$/, '')).join(', ');
  return [
    `there is no container image ${names} on this machine${why === undefined ? '' : `, and it cannot be pulled: ${why}`}`,
  ];
}

/** The command that netlab gave up on, with what its program complained of after it was started. */
function failedCommand(lines: readonly string[], closing: string | undefined): readonly string[] {
  const command = /^Fatal error in netlab[\w ]*: (.*) failed, aborting\.\.\.$/.exec(closing ?? '')?.[1];
  if (command === undefined) return [];
  const started = lines.findLastIndex((line) => line.endsWith(`executing ${command}`));
  const complaints = lines
    .slice(started + 1)
    .filter((line) => !isErrorReport(line))
    .flatMap((line) => errorLine.exec(line)?.[1] ?? []);
  return complaints.length === 0 ? [] : [`${[...new Set(complaints)].join('; ')} (${command} failed)`];
}

/** The longest line of such a script that netlab prints whole (netsim/utils/strings.py, `wrap_error_message`). */
const wrapWidth = 78;

/** The text that ends in this line, without the line feeds where netlab broke it: before words for which there was no room. */
function unwrapped(lines: readonly string[], end: number): string {
  const line = (lines[end] ?? '').trim();
  const before = lines[end - 1] ?? '';
  const [word = ''] = /^[^\s-]*-?/.exec(line) ?? [];
  if (!/^ +(?!\[INFO\])\S/.test(before) || before.length + 1 + word.length <= wrapWidth) return line;
  return `${unwrapped(lines, end - 1)}${before.endsWith('-') ? '' : ' '}${line}`;
}

/** A script that configures a node in its container: what it printed last stands, indented, above netlab's word. */
function failedScripts(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line, index) => {
    const [, script, node] =
      /^FatalError in \w+: (\S+) configuration .*failed for node (\S+)$/.exec(line) ?? [];
    if (script === undefined) return [];
    const last = lines[index - 1] ?? '';
    const why = /^ +(?!\[INFO\])\S/.test(last) ? `: ${unwrapped(lines, index - 1)}` : '';
    return [`the ${script} configuration of node ${node} failed${why}`];
  });
}

/** Of many that failed, the sentence has the first ones whole. */
function failedTests(result: JobResult | null): readonly string[] {
  if (result?.kind !== 'tests' || result.failed === 0) return [];
  const named = result.tests.filter(({ outcome }) => outcome === 'failed');
  const texts = named.map(({ name, reason }) => `test ${name} failed${reason === null ? '' : `: ${reason}`}`);
  const unnamed = result.failed - named.length;
  return unnamed > 0
    ? [...texts, `${unnamed} ${unnamed === 1 ? 'test' : 'tests'} that are not listed failed`]
    : texts;
}

/** A rule about other programs: what they printed is the cause only while netlab names none of its own. */
function ofAnotherProgram(name: string, say: (lines: readonly string[]) => readonly string[]): ErrorRule {
  return { name, say: ({ lines }) => (leavesCauseOpen(lines) ? say(lines) : []) };
}

/** netlab tells it in prose, and then only that it aborts (netsim/cli/up.py, check_lab_conflict). */
function otherLab(lines: readonly string[]): readonly string[] {
  const [, instance, directory] =
    /the lab instance '([^']+)' is already running in directory\s+(\S+?)\.?(?:\s|$)/.exec(lines.join('\n')) ??
    [];
  if (instance === undefined) return [];
  return [
    `the lab instance "${instance}" is already running in ${directory}: stop it, or give this lab a multilab id of its own ("multilabId")`,
  ];
}

/** A status has no error to tell when there is nothing to show: the one line that it prints then is the reason. */
function onlyLine({ action, lines }: FailureLog): readonly string[] {
  const [first, ...others] = lines.filter((line) => line.trim() !== '');
  return action === 'status' && first !== undefined && others.length === 0 ? [first] : [];
}

/** In order of precedence. */
const errorRules: readonly ErrorRule[] = [
  { name: 'netlab broke, or asked a question', say: tracebackCause },
  { name: 'tests failed', say: (_log, result) => failedTests(result) },
  { name: 'a command failed in nodes', say: (_log, result) => failedCommands(result) },
  { name: 'a file is not YAML', say: ({ lines }) => yamlCause(lines) },
  ofAnotherProgram('the instance is taken', otherLab),
  ofAnotherProgram('a container image is missing', missingImages),
  ofAnotherProgram('a device cannot be reached', unreachableHosts),
  ofAnotherProgram('a task of Ansible failed', failedTasks),
  ofAnotherProgram('a configuration script failed', failedScripts),
  ofAnotherProgram('a program that netlab runs failed', (lines) => failedCommand(lines, closingOf(lines))),
  { name: 'netlab says what is wrong', say: ({ lines }) => reportedErrors(lines) },
  { name: 'there is nothing to show', say: onlyLine },
];

/** The words of the first rule that recognizes something, each cause on one line. */
export function causesIn(log: FailureLog, result: JobResult | null = null): readonly string[] {
  for (const { say } of errorRules) {
    const causes = say(log, result);
    if (causes.length > 0) return causes.map((cause) => cause.replaceAll(/\s+/g, ' ').trim());
  }
  return [];
}

/** One sentence (at most 500 characters) that tells a person why a job failed: the cause, or how the lab CLI ended. */
export function errorSentence(ending: Ending): string {
  return sentenceOf(ending, causesIn(failureLog(ending.action, ending.logTail), ending.result));
}
