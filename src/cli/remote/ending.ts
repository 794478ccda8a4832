/** Exit codes and error sentences of the commands that talk to a service. */
import type { Command } from 'commander';
import type { Job } from '../../client/api-types.ts';
import { ConnectionError, ServiceError, type FieldError } from '../../client/service-error.ts';
import { UsageError } from './server.ts';
import { harmless } from './tables.ts';

/** `EX_UNAVAILABLE` of sysexits.h: the service did not answer, so nothing is known. */
export const unavailableCode = 69;
const usageCode = 2;
/** 128 and the number of SIGPIPE, as of every other program whose reader goes away (`lab logs ID | head -1`). */
const closedPipeCode = 141;

/** Prints a line on standard error. Control characters from a server have no effect on the terminal. */
export function complain(text: string): void {
  process.stderr.write(`lab: ${harmless(text)}\n`);
}

/** Ends the command if its output cannot be written: the reader is gone, or the disk is full. */
function endWhenNotRead(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(closedPipeCode);
  complain(`standard output: ${error.message}`);
  process.exit(1);
}

/** The remedy for the user; undefined if the error itself names it. */
export function remedyOf({ reason }: ConnectionError): string | undefined {
  if (reason === undefined) return 'is lab-api running there? Set its URL with --server or LAB_API_URL';
  return reason === 'untrusted' ? 'use --cacert FILE or --pin (--insecure for a test)' : undefined;
}

/** Why a job that was canceled does not end yet: its host is away. */
export function tellKept({ id, host, stale }: Job): void {
  if (stale === true)
    complain(`${id}: its host ${host ?? ''} is away; the job is canceled when the host is back`);
}

/**
 * For `onLost`: says once that the connection is lost and made again, and once that a host is waited for, until `reset` says that
 * it is there.
 */
export function lossTeller(): { readonly onLost: (error: Error) => void; readonly reset: () => void } {
  const told = new Set<string>();
  return {
    onLost: (error) => {
      const next = error instanceof ServiceError && error.isHostAway ? 'waiting for it' : 'trying again';
      if (!told.has(next)) complain(`${error.message}; ${next}`);
      told.add(next);
    },
    reset: () => told.clear(),
  };
}

/** Fields of requests whose options have names of their own: `--output` is how a command itself answers. */
const optionsOfFields: Readonly<Record<string, string>> = {
  output: 'labOutput',
  labels: 'label',
  timeoutSeconds: 'timeout',
  ttlSeconds: 'ttl',
  'Idempotency-Key': 'idempotencyKey',
};

/** The option that sets this field, if there is one. */
function optionFor(field: string, command: Command): string | undefined {
  const [first = ''] = field.split('.');
  const name = Object.hasOwn(optionsOfFields, first) ? optionsOfFields[first] : first;
  return command.options.find((option) => option.attributeName() === name)?.long;
}

/** The commands that do what the service names as requests. */
const inCommands = (sentence: string): string =>
  sentence
    .replaceAll('GET /workspaces lists', '"lab workspaces" lists')
    .replaceAll('GET /snapshots lists', '"lab snapshot list" lists');

/** A refusal: of a request that is wrong, what is wrong with it, each thing once. */
function complainOf(refusal: ServiceError, command: Command): void {
  const { code, status } = refusal;
  const sentence = inCommands(refusal.message);
  const errors = refusal.errors.map(({ field, message }) => ({ field, message: inCommands(message) }));
  if (status === 404 && (code === undefined || code === 'not-found')) {
    complain(`${sentence}; is the path of --server (or LAB_API_URL) the base path of lab-api?`);
    return;
  }
  const listed = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const lineOf = ({ field, message }: FieldError): string =>
    `${optionFor(field, command) ?? field}: ${message}`;
  // The service's own sentence names every field, and may have warnings after that.
  if (errors.length > 0 && sentence.startsWith(listed)) {
    const rest = sentence.slice(listed.length).replace(/^; /, '');
    for (const line of [...errors.map(lineOf), ...(rest === '' ? [] : [rest])]) complain(line);
    return;
  }
  // A field in quotes is an option here, and needs no line of its own.
  const isSaid = ({ field, message }: FieldError): boolean =>
    sentence.includes(`"${field}"`) || sentence.includes(message);
  let typed = sentence;
  for (const { field } of errors)
    typed = typed.replaceAll(`"${field}"`, (quoted) => optionFor(field, command) ?? quoted);
  complain(status === 401 ? `${typed}; check --user and --password-file, or --token-file` : typed);
  for (const error of errors) if (!isSaid(error)) complain(`  ${lineOf(error)}`);
}

function tell(error: unknown, command: Command, refusedCode: number): number {
  if (error instanceof UsageError) {
    complain(error.message);
    return usageCode;
  }
  if (error instanceof ConnectionError) {
    const remedy = remedyOf(error);
    complain(remedy === undefined ? error.message : `${error.message}; ${remedy}`);
    return unavailableCode;
  }
  if (error instanceof ServiceError) {
    complainOf(error, command);
    return error.status === 400 ? usageCode : refusedCode;
  }
  throw error;
}

/** Runs a command; what is expected to go wrong becomes a sentence and an exit code: `refusedCode` for what the service refuses. */
export async function endWith(
  command: Command,
  action: () => Promise<number | void>,
  refusedCode = 1,
): Promise<void> {
  process.stdout.on('error', endWhenNotRead);
  process.stderr.on('error', () => undefined);
  // Node 20 never settles a `fetch` whose reply is no sound gzip, for one. With nothing left to wait for, it ends with code 13.
  const endWithoutAnswer = (code: number): void => {
    if (code !== 13) return;
    const error = new ConnectionError('the server ended the connection without a whole answer');
    process.exitCode = tell(error, command, refusedCode);
  };
  process.once('exit', endWithoutAnswer);
  try {
    process.exitCode = (await action()) ?? 0;
  } catch (error) {
    process.exitCode = tell(error, command, refusedCode);
  } finally {
    process.off('exit', endWithoutAnswer);
  }
}
