import { useEffect, useState } from 'react';
import type { DrawnLink } from '../../../parts/drawing/drawing.ts';
import type { Selection } from './selection.ts';

interface Kept {
  readonly id: string;
  readonly index: number;
  readonly count: number;
}

/** The ID of a link comes from its ends, and changes with them: the selection follows the link, by its place in the file. */
export function useFollowedLink(
  selected: Selection,
  links: readonly DrawnLink[],
  onSelect: (selected: Selection) => void,
): Selection {
  const [kept, keep] = useState<Kept>();
  const [id] = selected.nodes.length + selected.links.length === 1 ? selected.links : [];
  const index = links.findIndex((link) => link.id === id);
  const count = links.length;
  const isNew = kept?.id !== id || kept?.index !== index || kept.count !== count;
  // While it is drawn: the form of the link is never away.
  if (id !== undefined && index !== -1 && isNew) keep({ id, index, count });
  const isChanged = index === -1 && kept?.id === id && kept?.count === count;
  const followed = isChanged ? links[kept.index]?.id : undefined;
  useEffect(() => {
    if (followed !== undefined) onSelect({ nodes: [], links: [followed] });
  }, [followed, onSelect]);
  return followed === undefined ? selected : { nodes: [], links: [followed] };
}
