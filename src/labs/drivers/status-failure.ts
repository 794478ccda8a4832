/** The errors of commands with which a lab CLI reports something. */
import { stripVTControlCharacters } from 'node:util';
import { AppError } from '../../lib/app-error.ts';
import type { LabEntry } from './status-driver.ts';
import type { RunResult } from '../system/run.ts';

const maxOutputLines = 10;

/** The last lines of standard error, else of standard output, without colours. */
function lastLines(result: RunResult): string[] {
  const linesOf = (output: Buffer): string[] =>
    stripVTControlCharacters(output.toString('utf8'))
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '');
  const errors = linesOf(result.stderr);
  return (errors.length > 0 ? errors : linesOf(result.stdout)).slice(-maxOutputLines);
}

function howItEnded(result: RunResult, wanted = 'a status document'): string {
  if (result.spawnError !== null) return `could not be started: ${result.spawnError}`;
  if (result.ended === 'too-much-output') return 'printed far too much and was stopped';
  if (result.signal !== null) return `was ended by ${result.signal}`;
  if (result.exitCode !== 0) return `failed with exit code ${result.exitCode}`;
  return `printed something that is not ${wanted}`;
}

/** The error of a command that lists something else. */
export function listFailure(result: RunResult): AppError {
  if (result.ended === 'timeout')
    return new AppError(
      'lab-cli-timeout',
      'The lab CLI took too long and was stopped (LAB_API_STATUS_TIMEOUT)',
    );
  if (result.ended === 'aborted') return new AppError('shutting-down', 'The server is shutting down');
  const output = lastLines(result);
  const message = [`The lab CLI ${howItEnded(result)}`, ...output.slice(-1)].join(': ');
  return new AppError('lab-cli-failed', message, { extra: { output } });
}

/** The `lab-cli-failed` or `lab-cli-timeout` for `result`; `lab` is the last known entry of the instance. */
export function statusFailure(result: RunResult, lab?: LabEntry): AppError {
  const known = lab === undefined ? {} : { lab };
  if (result.ended === 'timeout') {
    const message = 'The lab CLI took too long to report the status and was stopped (LAB_API_STATUS_TIMEOUT)';
    return new AppError('lab-cli-timeout', message, { extra: known });
  }
  if (result.ended === 'aborted') return new AppError('shutting-down', 'The server is shutting down');
  const output = lastLines(result);
  const last = output.at(-1);
  const message = `The lab CLI's status command ${howItEnded(result)}${last === undefined ? '' : `: ${last}`}`;
  return new AppError('lab-cli-failed', message, { extra: { output, ...known } });
}

/** Whether the lab CLI ended by itself; false when it was stopped or never started. */
export function ranToItsEnd(result: RunResult): boolean {
  return result.ended === null && result.spawnError === null && result.exitCode !== null;
}

/** The error of a command that was to print the topology of a lab. */
export function inspectFailure(result: RunResult): AppError {
  if (result.ended === 'timeout')
    return new AppError(
      'lab-cli-timeout',
      'The lab CLI took too long to report the topology and was stopped (LAB_API_STATUS_TIMEOUT)',
    );
  if (result.ended === 'aborted') return new AppError('shutting-down', 'The server is shutting down');
  const output = lastLines(result);
  const last = output.at(-1);
  const how = howItEnded(result, 'a topology');
  const message = `The lab CLI could not report the topology: it ${how}${last === undefined ? '' : `: ${last}`}`;
  return new AppError('lab-cli-failed', message, { extra: { output } });
}

export function unknownInstance(id: string): AppError {
  return new AppError(
    'instance-not-found',
    `There is no lab instance "${id}"; "lab labs" and GET /labs list those there are`,
  );
}
