/** The rules of the service for names of workspaces, checked while the user types. */

const nameFormat = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** The mistake in a workspace name; undefined if it is valid. */
export function workspaceNameProblem(name: string): string | undefined {
  if (name === '') return 'the name is missing';
  if (name === 'auto') return '“auto” is reserved for workspaces named after their job';
  if (name.length > 63) return 'at most 63 characters';
  if (/^[._-]/.test(name)) return 'must begin with a letter or a digit';
  return nameFormat.test(name) ? undefined : 'only lower-case letters, digits and . _ -';
}
