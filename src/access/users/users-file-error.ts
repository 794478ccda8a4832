/** Replaces control and invisible characters by their numbers: messages go to logs and terminals. */
function visible(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** All mistakes in a users file: one sentence each, with the line if there is one, and without hashes. */
export class UsersFileError extends Error {
  override readonly name = 'UsersFileError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    const visibleProblems = problems.map(visible);
    super(visibleProblems.join('; '), options);
    this.problems = visibleProblems;
  }
}

/** Returns the result of `read`, and adds the file to the problems that it throws. */
export function naming<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsersFileError)) throw error;
    throw new UsersFileError(error.problems.map((problem) => `${file}: ${problem}`));
  }
}
