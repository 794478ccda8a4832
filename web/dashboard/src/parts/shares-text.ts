import type { Share } from '../../../../src/client/api-types.ts';

interface Shared {
  /** Absent in replies of hosts with an earlier version. */
  readonly shares?: readonly Share[];
}

/** `shared with ann (viewer), the group course (operator)`; undefined when it is not shared. The right means nothing for a snapshot. */
export function sharesText({ shares = [] }: Shared, hasRights = true): string | undefined {
  if (shares.length === 0) return undefined;
  const rightOf = ({ as }: Share): string => (hasRights ? ` (${as})` : '');
  const names = shares.map(
    (share) => `${share.kind === 'group' ? 'the group ' : ''}${share.name}${rightOf(share)}`,
  );
  return `shared with ${names.join(', ')}`;
}
