/** What is no letter in a name or a hash stands in the message as its number: messages go to logs and terminals. */
function visible(text: string): string {
  return text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Everything that is wrong with a users file, one sentence each, with the line where there is one; none repeats a hash. */
export class UsersFileError extends Error {
  override readonly name = 'UsersFileError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    const visibleProblems = problems.map(visible);
    super(visibleProblems.join('; '), options);
    this.problems = visibleProblems;
  }
}

/** What `read` gives; a problem that it throws names the file from then on. */
export function naming<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsersFileError)) throw error;
    throw new UsersFileError(error.problems.map((problem) => `${file}: ${problem}`));
  }
}
