import os from 'node:os';

/** The exit code of a process as a shell has it: 128 and the number of the signal that ended it (POSIX, XCU 2.8.2). */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? os.constants.signals[signal] : 0);
}
