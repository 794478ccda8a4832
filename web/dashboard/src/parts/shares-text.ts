import type { Share } from '../../../../src/client/api-types.ts';

interface Shared {
  /** Absent in replies of hosts with an earlier version. */
  readonly shares?: readonly Share[];
}

/** `shared with ann (viewer), the group course (operator)`; undefined when it is not shared. */
export function sharesText({ shares = [] }: Shared): string | undefined {
  if (shares.length === 0) return undefined;
  const names = shares.map(({ kind, name, as }) => `${kind === 'group' ? 'the group ' : ''}${name} (${as})`);
  return `shared with ${names.join(', ')}`;
}
