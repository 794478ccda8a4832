/** Converts items, at most so many at the same time; the results stand in the order of the items. Rejects as the first that does. */
export async function mapBounded<In, Out>(
  items: readonly In[],
  atOnce: number,
  convert: (item: In) => Promise<Out>,
): Promise<Out[]> {
  const results: Out[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await convert(items[index] as In);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
