import { mapBounded } from './map-bounded.ts';

export interface Portions {
  /** So many items are given to `convert` at most. */
  readonly size: number;
  /** So many portions are at work at the same time. */
  readonly atOnce: number;
}

/**
 * Converts items in portions; the results stand in the order of the items. `convert` answers for as many of the first items
 * of its portion as it likes, at least one, and is asked again for the others.
 */
export async function mapPortions<In, Out>(
  items: readonly In[],
  { size, atOnce }: Portions,
  convert: (some: readonly In[]) => Promise<readonly Out[]>,
): Promise<Out[]> {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => index * size);
  const results = await mapBounded(starts, atOnce, async (start) => {
    const portion = items.slice(start, start + size);
    const done: Out[] = [];
    while (done.length < portion.length) done.push(...(await convert(portion.slice(done.length))));
    return done;
  });
  return results.flat();
}
