/** So many names are read; what to do about them must be, too. */
const most = 10;

/** Names for a sentence: all of a few, the first of many. */
export function fewOf(names: readonly string[]): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
