/**
 * How the cause of a failure is found in a log: the first rule that recognizes something says it. To tell of another
 * cause, add a rule here and a log that netlab printed to tests/fixtures/netlab/errors.
 */
import { failedTasks, unreachableHosts } from './ansible-failures.ts';
import type { FailureLog } from './failure-log.ts';
import { failedCommand, failedScripts, missingImages } from './provider-failures.ts';
import { closingOf, leavesCauseOpen, reportedErrors } from './reported-errors.ts';
import { tracebackCause } from './tracebacks.ts';
import { yamlCause } from './yaml-errors.ts';

interface ErrorRule {
  /** What it recognizes. */
  readonly name: string;
  /** What it says: one text for each thing that is wrong; none when it recognizes nothing. */
  readonly say: (log: FailureLog) => readonly string[];
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

/** A status has no error to tell when there is nothing to show: the one line that it prints then is the reason. */
function onlyLine({ action, lines }: FailureLog): readonly string[] {
  const [first, ...others] = lines.filter((line) => line.trim() !== '');
  return action === 'status' && first !== undefined && others.length === 0 ? [first] : [];
}

/** In order of precedence. */
export const errorRules: readonly ErrorRule[] = [
  { name: 'netlab broke, or asked a question', say: tracebackCause },
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
