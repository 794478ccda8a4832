/** What the output of `<cli> status` means. The shapes are those that netlab 26.10 prints (netsim/cli/status.py). */
import { stripVTControlCharacters } from 'node:util';
import { AppError } from '../../../lib/app-error.ts';
import type { RunResult } from '../../run.ts';

/** What the lab CLI knows about one lab instance; open-ended, newer versions add fields. */
export type LabEntry = Readonly<Record<string, unknown>>;

const maxOutputLines = 10;

/** The last lines that a person would look at: of standard error, else of standard output; no colours. */
function lastLines(result: RunResult): string[] {
  const linesOf = (output: Buffer): string[] =>
    stripVTControlCharacters(output.toString('utf8'))
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '');
  const errors = linesOf(result.stderr);
  return (errors.length > 0 ? errors : linesOf(result.stdout)).slice(-maxOutputLines);
}

function howItEnded(result: RunResult): string {
  if (result.spawnError !== null) return `could not be started: ${result.spawnError}`;
  if (result.ended === 'too-much-output') return 'printed far too much and was stopped';
  if (result.signal !== null) return `was ended by ${result.signal}`;
  if (result.exitCode !== 0) return `failed with exit code ${result.exitCode}`;
  return 'printed something that is not a status document';
}

/** The `lab-cli-failed`, or `lab-cli-timeout`, that `result` stands for; `lab` is what is known about the instance. */
export function statusFailure(result: RunResult, lab?: LabEntry): AppError {
  const known = lab === undefined ? {} : { lab };
  if (result.ended === 'timeout') {
    const message = 'The lab CLI took too long to tell the status and was stopped (LAB_API_STATUS_TIMEOUT)';
    return new AppError('lab-cli-timeout', message, { extra: known });
  }
  if (result.ended === 'aborted') return new AppError('shutting-down', 'The server is shutting down');
  const output = lastLines(result);
  const last = output.at(-1);
  const message = `The lab CLI's status command ${howItEnded(result)}${last === undefined ? '' : `: ${last}`}`;
  return new AppError('lab-cli-failed', message, { extra: { output, ...known } });
}

/** Whether the CLI went through to its own end; false when it was stopped or never started. */
export function ranToItsEnd(result: RunResult): boolean {
  return result.ended === null && result.spawnError === null && result.exitCode !== null;
}

export type ParsedStatus =
  | { readonly kind: 'document'; readonly value: LabEntry }
  | { readonly kind: 'warning' }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'unusable' };

function parseObject(output: Buffer): LabEntry | undefined {
  try {
    const value: unknown = JSON.parse(output.toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is LabEntry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What a `--format json` run said. "No labs" is a warning with exit code 1 and a fault may come with exit code 0, so
 * the document decides first. An instance may be called `warning` or `error`; its value is an object, then.
 */
export function parseStatus(result: RunResult): ParsedStatus {
  if (!ranToItsEnd(result)) return { kind: 'unusable' };
  const value = parseObject(result.stdout);
  if (value === undefined) return { kind: 'unusable' };
  if (typeof value['warning'] === 'string') return { kind: 'warning' };
  if (typeof value['error'] === 'string') return { kind: 'error', message: value['error'] };
  return result.exitCode === 0 ? { kind: 'document', value } : { kind: 'unusable' };
}

/** The instances of a `status --all` document. A Map, because an instance may be called `constructor`. */
export function entriesOf(document: LabEntry): ReadonlyMap<string, LabEntry> {
  return new Map(Object.entries(document).filter((pair): pair is [string, LabEntry] => isObject(pair[1])));
}
