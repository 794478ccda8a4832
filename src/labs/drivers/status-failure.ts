/** The errors of commands with which a lab CLI reports something. */
import { stripVTControlCharacters } from 'node:util';
import { AppError } from '../../lib/app-error.ts';
import type { LabEntry } from './status-driver.ts';
import type { RunResult } from '../system/run.ts';

const maxOutputLines = 10;
/** The end of the output, where these lines are. */
const maxOutputBytes = 64 * 1024;

/** The last lines of standard error, else of standard output, without colours. */
function lastLines(result: RunResult): string[] {
  const linesOf = (output: Buffer): string[] =>
    stripVTControlCharacters(output.subarray(-maxOutputBytes).toString('utf8'))
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '');
  const errors = linesOf(result.stderr);
  return (errors.length > 0 ? errors : linesOf(result.stdout)).slice(-maxOutputLines);
}

interface Report {
  /** The beginning of the sentence. */
  readonly subject: string;
  /** The document that the lab CLI was to print. */
  readonly wanted: string;
  readonly purpose?: string;
}

function howItEnded(result: RunResult, wanted: string): string {
  if (result.spawnError !== null) return `could not be started: ${result.spawnError}`;
  if (result.ended === 'too-much-output') return 'printed far too much and was stopped';
  if (result.signal !== null) return `was ended by ${result.signal}`;
  if (result.exitCode !== 0) return `failed with exit code ${result.exitCode}`;
  return `printed something that is not ${wanted}`;
}

function failureOf(
  result: RunResult,
  { subject, wanted, purpose = '' }: Report,
  known: object = {},
): AppError {
  if (result.ended === 'timeout') {
    const message = `The lab CLI took too long${purpose} and was stopped (LAB_API_STATUS_TIMEOUT)`;
    return new AppError('lab-cli-timeout', message, { extra: { ...known } });
  }
  if (result.ended === 'aborted') return new AppError('shutting-down', 'The server is shutting down');
  const output = lastLines(result);
  const message = [`${subject} ${howItEnded(result, wanted)}`, ...output.slice(-1)].join(': ');
  return new AppError('lab-cli-failed', message, { extra: { output, ...known } });
}

/** The error of a command that lists something else. */
export function listFailure(result: RunResult): AppError {
  return failureOf(result, { subject: 'The lab CLI', wanted: 'a status document' });
}

/** The `lab-cli-failed` or `lab-cli-timeout` for `result`; `lab` is the last known entry of the instance. */
export function statusFailure(result: RunResult, lab?: LabEntry): AppError {
  const subject = "The lab CLI's status command";
  const report = { subject, wanted: 'a status document', purpose: ' to report the status' };
  return failureOf(result, report, lab === undefined ? {} : { lab });
}

/** The error of a command that was to print the topology of a lab. */
export function inspectFailure(result: RunResult): AppError {
  const subject = 'The lab CLI could not report the topology: it';
  return failureOf(result, { subject, wanted: 'a topology', purpose: ' to report the topology' });
}

/** The error of a command that was to print a report of a lab, or the list of reports. */
export function reportFailure(result: RunResult): AppError {
  const subject = 'The lab CLI could not make the report: it';
  return failureOf(result, { subject, wanted: 'a report', purpose: ' to make the report' });
}

/** Whether the lab CLI ended by itself; false when it was stopped or never started. */
export function ranToItsEnd(result: RunResult): boolean {
  return result.ended === null && result.spawnError === null && result.exitCode !== null;
}

export function unknownInstance(id: string): AppError {
  return new AppError(
    'instance-not-found',
    `There is no lab instance "${id}"; "lab labs" and GET /labs list those there are`,
  );
}
