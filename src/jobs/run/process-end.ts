/** How the lab CLI of a job ended, and how that is told from the exit status that the shim wrote. */
import os from 'node:os';
import type { ExitStatus } from '../store/job-files.ts';

export type ProcessEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  /** The shim is gone, and it is proven that the lab CLI never ran. */
  | { readonly kind: 'unstarted' }
  /** It is gone and nobody saw how. */
  | { readonly kind: 'lost' };

// Reversed, because some numbers have two names (SIGABRT and SIGIOT): the first is the one that people know.
const signalNames = new Map(
  Object.entries(os.constants.signals)
    .toReversed()
    .map(([name, number]) => [number, name]),
);

/** With these statuses, those of SIGINT and SIGPIPE, shells print no word that tells a signal from an exit status. */
const silentStatuses = new Set([128 + os.constants.signals.SIGINT, 128 + os.constants.signals.SIGPIPE]);

/**
 * A shell's status as what it stands for. POSIX (XCU 2.8.2): a command that a signal ended is reported as more than 128,
 * in practice 128 + its number; a command may also exit with such a status by itself, and then the shell keeps quiet.
 */
export function endOfStatus({ exitCode, signaled }: ExitStatus): ProcessEnd {
  const isSignal = signaled || silentStatuses.has(exitCode);
  const signal = isSignal ? signalNames.get(exitCode - 128) : undefined;
  return signal === undefined ? { kind: 'exited', exitCode } : { kind: 'signaled', signal };
}
