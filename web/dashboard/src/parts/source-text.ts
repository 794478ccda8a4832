import type { Job } from '../../../../src/client/api-types.ts';

interface Sourced {
  /** Absent in replies of hosts with an earlier version. */
  readonly source?: Job['source'];
}

const shownDigits = 12;

/** `labs/ospf of https://host/course.git, main at 1a2b3c4d5e6f`; undefined when the files did not come from Git. */
export function sourceText({ source = null }: Sourced): string | undefined {
  if (source === null) return undefined;
  const { git, ref, path, commit } = source;
  const place = path === null ? git : `${path} of ${git}`;
  return `${place}, ${ref ?? 'its default branch'} at ${commit.slice(0, shownDigits)}`;
}
