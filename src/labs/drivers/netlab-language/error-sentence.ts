/**
 * Why a command of netlab failed, for people. How the cause is found in a log: the first rule of the list that recognizes
 * something says it. To tell of another cause, add a rule, and a log that netlab printed to tests/fixtures/netlab/errors.
 */
import type { Action } from '../../model/actions.ts';
import type { JobResult } from '../../model/job-result.ts';
import type { Ending } from '../lab-driver.ts';
import { failedCommands, headline, sentenceOf } from '../sentence.ts';
import { failedTasks, unreachableHosts } from './errors/ansible-failures.ts';
import { failureLog, type FailureLog } from './errors/failure-log.ts';
import { failedCommand, failedScripts, missingImages } from './errors/provider-failures.ts';
import { closingOf, leavesCauseOpen, reportedErrors } from './errors/reported-errors.ts';
import { tracebackCause, yamlCause } from './errors/python-errors.ts';

interface ErrorRule {
  /** The kind of message. */
  readonly name: string;
  /** One text for each error; empty if it recognizes none. */
  readonly say: (log: FailureLog, result: JobResult | null) => readonly string[];
}

/** Of many that failed, the sentence has the first ones whole. */
function failedTests(result: JobResult | null): readonly string[] {
  if (result?.kind !== 'tests' || result.failed === 0) return [];
  const named = result.tests.filter(({ outcome }) => outcome === 'failed');
  const texts = named.map(
    ({ name, messages: [why] }) => `test ${name}${why === undefined ? '' : ` (${why})`}`,
  );
  const unnamed = result.failed - named.length;
  return unnamed > 0 ? [...texts, `${unnamed} tests that are not listed`] : texts;
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
    `the lab instance "${instance}" is already running in ${directory}: stop it, or give this lab another "multilabId"`,
  ];
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

/** A status has no error to tell when there is nothing to show: the one line that it prints then is the reason. */
function onlyLine({ action, lines }: FailureLog): readonly string[] {
  const [first, ...others] = lines.filter((line) => line.trim() !== '');
  return action === 'status' && first !== undefined && others.length === 0 ? [first] : [];
}

/** In order of precedence. */
const errorRules: readonly ErrorRule[] = [
  {
    name: 'netlab broke, or asked a question',
    say: ({ lines, action }) => tracebackCause(lines, (question) => remedyFor(question, action)),
  },
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

function causesIn({ action, logTail, result = null }: Ending): readonly string[] {
  const log = failureLog(action, logTail);
  for (const { say } of errorRules) {
    const causes = say(log, result);
    if (causes.length > 0) return causes.map((cause) => cause.replaceAll(/\s+/g, ' ').trim());
  }
  return [];
}

/** One sentence (at most 500 characters) that tells a person why a job failed: how the lab CLI ended, and the cause. */
export function errorSentence(ending: Ending): string {
  return sentenceOf(headline(ending), causesIn(ending));
}
