/** The mistake in a new password; undefined if the service accepts it. */
export function passwordProblem(password: string): string | undefined {
  const { length } = Array.from(password);
  return length < 8 || length > 1024 ? 'must have 8 to 1024 characters' : undefined;
}
