/** Sentences about the end of a terminal. */

/** The message of the service before it closes a terminal whose program has ended. */
export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly signal: number | null;
}

/** Reads a text message of the service; undefined for an unknown message. */
export function programEndOf(text: string): ProgramEnd | undefined {
  try {
    const { type, exitCode, signal } = JSON.parse(text) as Record<string, unknown>;
    if (type !== 'exit') return undefined;
    return {
      exitCode: typeof exitCode === 'number' ? exitCode : null,
      signal: typeof signal === 'number' ? signal : null,
    };
  } catch {
    return undefined;
  }
}

/** The sentence for a close code of the service (docs/labs.md), or for 1006: the connection was lost. */
export function whyEnded(code: number, reason: string, end: ProgramEnd | undefined): string {
  switch (code) {
    case 1000:
      if (end === undefined) return 'The terminal was closed.';
      return end.signal === null
        ? `The program at the terminal has ended with exit code ${end.exitCode ?? 'unknown'}.`
        : `The program at the terminal was ended by signal ${end.signal}.`;
    case 1001:
      return 'The service stopped, and its terminals ended.';
    case 1006:
      return 'The connection was lost, and the terminal has ended.';
    case 4000:
      return 'The service has closed the terminal because it was idle.';
    case 4001:
      return 'Your login has ended.';
    default:
      return `The service has closed the terminal: ${reason || `code ${code}`}.`;
  }
}
