/** Everything that is wrong with a users file, one sentence each, with the line where there is one; none repeats a hash. */
export class UsersFileError extends Error {
  override readonly name = 'UsersFileError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('; '), options);
    this.problems = problems;
  }
}
