/** How a command that speaks to a service ends: its exit code, and one sentence for whoever typed it. */
import { ConnectionError, ServiceError } from '../../client/service-error.ts';
import { UsageError } from './server.ts';
import { harmless } from './tables.ts';

/** `EX_UNAVAILABLE` of sysexits.h: the service did not answer, so nothing is known. */
const unavailableCode = 69;
const usageCode = 2;
/** 128 and the number of SIGPIPE, as of every other program whose reader goes away (`lab logs ID | head -1`). */
const closedPipeCode = 141;

/** A line on standard error. What comes from elsewhere in it does nothing to a terminal. */
export function complain(text: string): void {
  process.stderr.write(`lab: ${harmless(text)}\n`);
}

/** Output that goes nowhere ends the command: there is nobody left to tell, or no room for it. */
function endWhenNotRead(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(closedPipeCode);
  complain(`standard output: ${error.message}`);
  process.exit(1);
}

/** What whoever typed the command can do; undefined where the error itself says it. */
function remedyOf({ reason }: ConnectionError): string | undefined {
  if (reason === undefined) return 'is lab-api there? --server or LAB_API_URL says where it is';
  return reason === 'untrusted' ? 'give --cacert FILE (or --insecure to try)' : undefined;
}

/** For `onLost`: says once that the connection is lost and made again, until `reset` says that it is there. */
export function lossTeller(): { readonly onLost: (error: Error) => void; readonly reset: () => void } {
  let isTold = false;
  return {
    onLost: (error) => {
      if (!isTold) complain(`${error.message}; trying again`);
      isTold = true;
    },
    reset: () => void (isTold = false),
  };
}

function tell(error: unknown): number {
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
    complain(error.message);
    for (const { field, message } of error.errors) complain(`  ${field}: ${message}`);
    return error.status === 400 ? usageCode : 1;
  }
  throw error;
}

/** Runs a command; what is expected to go wrong becomes a sentence and an exit code. */
export async function endWith(action: () => Promise<number | void>): Promise<void> {
  process.stdout.on('error', endWhenNotRead);
  process.stderr.on('error', () => undefined);
  try {
    process.exitCode = (await action()) ?? 0;
  } catch (error) {
    process.exitCode = tell(error);
  }
}
